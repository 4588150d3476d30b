// Form controls for rules and players.

import { about, post } from "./api.js";
import { debounced, h, notice, say } from "./dom.js";
import { ANSWERS, CONTACT, TURNS, bare, describe } from "./notation.js";
import { t, tn } from "./texts.js";

let numbered = 0;

/** A labelled field. */
export function field(label, control, hint) {
  control.id ||= `field-${++numbered}`;
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, hint ? h("p", { class: "hint" }, hint) : null);
}

const options = (names, words = {}, chosen) => names.map((name) => h("option", { value: name, selected: name === chosen }, words[name] ?? name));

/** A preset, or custom rules part by part. `changed(rules)` gets the rules in full. `valid()` reads
 * the form as it stands: the rules, or an error that is shown. */
export async function rulesChooser(start, changed) {
  const { presets, contact, answers, turns } = await about();
  let rules = typeof start === "string" ? presets[start] ?? (await post("/rules", { rules: start })) : start;
  const problem = notice("bad");
  const summary = h("p", { class: "hint" });
  const preset = h("select", {}, options([...Object.keys(presets), "custom"], { custom: t("custom") }));
  const rows = h("input", { type: "number", min: 2, max: 16, inputmode: "numeric" });
  const columns = h("input", { type: "number", min: 2, max: 16, inputmode: "numeric" });
  const fleet = h("input", { type: "text", inputmode: "numeric", autocomplete: "off" });
  const parts = {
    contact: h("select", {}, options(contact, CONTACT)),
    answers: h("select", {}, options(answers, ANSWERS)),
    turns: h("select", {}, options(turns, TURNS)),
  };
  const salvo = h("input", { type: "text", autocomplete: "off", list: "salvos", title: t("Shots per turn, answered together: a number, or ships for as many as you have ships afloat") });
  const own = h(
    "details",
    { class: "own" },
    h("summary", {}, t("Change the rules")),
    h("div", { class: "fields" }, field(t("Rows"), rows), field(t("Columns"), columns), field(t("Ship lengths"), fleet)),
    h(
      "div",
      { class: "fields sentences" },
      field(t("Contact"), parts.contact),
      field(t("Answers"), parts.answers),
      field(t("Turns"), parts.turns),
      field(t("Salvo"), salvo, t("Shots per turn: a number, or “ships” for one per ship afloat")),
      h("datalist", { id: "salvos" }, ["1", "ships", "3", "5"].map((value) => h("option", { value }))),
    ),
  );
  const show = () => {
    preset.value = rules.name ?? "custom";
    rows.value = rules.rows;
    columns.value = rules.columns;
    fleet.value = rules.fleet.join(",");
    salvo.value = rules.salvo ?? 1;
    for (const name of Object.keys(parts)) parts[name].value = rules[name];
    summary.textContent = describe(rules);
  };
  let edited = false;
  const read = async () => {
    const wanted = { rows: Number(rows.value), columns: Number(columns.value), fleet: fleet.value.split(/[\s,]+/).filter(Boolean).map(Number) };
    for (const name of Object.keys(parts)) wanted[name] = parts[name].value;
    const shots = salvo.value.trim().toLowerCase();
    wanted.salvo = /^[0-9]+$/.test(shots) ? Number(shots) : shots || 1;
    try {
      rules = await post("/rules", { rules: wanted });
    } catch (error) {
      say(problem, error.message);
      throw error;
    }
    edited = false;
    say(problem, "");
    preset.value = rules.name ?? "custom";
    summary.textContent = describe(rules);
    changed?.(rules);
  };
  const take = debounced(() => edited && read().catch(() => {}), 250);
  preset.addEventListener("change", () => {
    if (preset.value === "custom") {
      own.open = true;
      rows.focus();
      return;
    }
    rules = presets[preset.value];
    edited = false;
    say(problem, "");
    show();
    changed?.(rules);
  });
  for (const control of [rows, columns, fleet, salvo, ...Object.values(parts)]) control.addEventListener("input", () => {
    edited = true;
    take();
  });
  show();
  return {
    element: h("div", { class: "chooser" }, field(t("Rules"), preset), summary, own, problem),
    get rules() {
      return rules;
    },
    async valid() {
      if (edited) await read();
      return bare(rules);
    },
  };
}

/** The same, starting with the rules chosen last time; with classic if those are no longer valid. */
export const savedRulesChooser = (saved, changed) => rulesChooser(saved ?? "classic", changed).catch(() => rulesChooser("classic", changed));

/** Why some players cannot play these rules: name -> reason. */
export async function cannotPlay(rules) {
  return (await post("/players", { rules: bare(rules) })).cannot_play;
}

/** A registered player with its parameters; `fit` filters the players. `suit(rules)` offers only
 * those that can play these rules, and gives the reason for the others. */
export async function playerChooser(label, wanted, fit = () => true) {
  const { players: all, usual_opponent: usual } = await about();
  const players = all.filter(fit);
  const [name, rest = ""] = (wanted ?? (players.some((player) => player.name === usual) ? usual : players[0].name)).split(/:(.*)/s);
  const given = Object.fromEntries(rest.split(",").filter(Boolean).map((entry) => entry.split("=")));
  const shots = (found) => (found ? ` · ${found.mean.toFixed(found.error < 1 ? 1 : 0)}` : "");
  const group = (title, list, strengths, disabled = false) => (list.length ? h("optgroup", { label: title, disabled }, list.map((player) => h("option", { value: player.name }, player.name + shots(strengths[player.name])))) : null);
  const select = h("select", {});
  const reasons = h("dl", { class: "reasons" });
  const left = h("summary", {});
  const leftOut = h("details", { class: "own", hidden: true }, left, reasons);
  const offer = (cannot, strengths = {}) => {
    const chosen = select.value;
    const [can, others] = [players.filter((player) => !cannot[player.name]), players.filter((player) => cannot[player.name])];
    select.replaceChildren(...[group(t("Fast"), can.filter((player) => !player.slow), strengths), group(t("Slow"), can.filter((player) => player.slow), strengths), group(t("Cannot play these rules"), others, {}, true)].filter(Boolean));
    const fallback = can.find((player) => player.name === usual) ?? can[0];
    select.value = can.some((player) => player.name === chosen) ? chosen : fallback?.name ?? "";
    if (chosen && select.value && select.value !== chosen) show();
    leftOut.hidden = !others.length;
    left.textContent = tn(others.length, "{n} player cannot play these rules", "{n} players cannot play these rules");
    reasons.replaceChildren(...others.flatMap((player) => [h("dt", {}, player.name), h("dd", {}, cannot[player.name])]));
  };
  offer({});
  select.value = players.some((player) => player.name === name) ? name : players[0].name;
  let asked = 0;
  const summary = h("p", { class: "hint" });
  const controls = h("div", { class: "fields" });
  const details = h("details", { class: "own" }, h("summary", {}, t("Parameters")), controls);
  const show = () => {
    const player = players.find((each) => each.name === select.value);
    summary.textContent = player.summary + (player.needs ? ` ${t("Needs {what}.", { what: player.needs })}` : "");
    details.hidden = !player.parameters.length;
    controls.replaceChildren(
      ...player.parameters.map((parameter) => {
        const start = given[parameter.name] ?? parameter.default ?? "";
        const choices = parameter.kind === "bool" ? ["true", "false"] : parameter.choices;
        const control = choices.length
          ? h("select", { "data-parameter": parameter.name }, parameter.default === null ? h("option", { value: "" }, t("depends on the rules")) : null, options(choices, {}, String(start)))
          : h("input", { type: "text", "data-parameter": parameter.name, value: String(start), placeholder: t("depends on the rules"), autocomplete: "off" });
        control.dataset.usual = String(parameter.default ?? "");
        return field(parameter.name, control, parameter.help);
      }),
    );
  };
  select.addEventListener("change", show);
  show();
  return {
    element: h("div", { class: "chooser" }, field(label, select), summary, details, leftOut),
    /** Offer those that can play, with the mean shots of those whose strength is known. */
    offer,
    async suit(rules) {
      const mine = ++asked;
      const cannot = await cannotPlay(rules).catch(() => ({}));
      if (mine === asked) offer(cannot);
    },
    get player() {
      const set = [...controls.querySelectorAll("[data-parameter]")].filter((control) => control.value !== control.dataset.usual && control.value !== "");
      return select.value + (set.length ? `:${set.map((control) => `${control.dataset.parameter}=${control.value}`).join(",")}` : "");
    },
  };
}

/** Whether people may shoot at a known cell again; usually not. */
export function repeatsChooser(on = false) {
  const box = h("input", { type: "checkbox", id: "repeats", checked: Boolean(on) });
  const element = h("div", { class: "check-field" }, box, h("label", { for: "repeats" }, t("Allow shots at known cells")), h("p", { class: "hint" }, t("After a warning. Such a shot is wasted: it tells nothing and the turn passes.")));
  return {
    element,
    get on() {
      return box.checked;
    },
  };
}
