// Advice while placing a fleet: what this layout costs each strategy, which ship gives it away,
// and a better layout nearby.

import { post } from "./api.js";
import { announce, h, notice, say } from "./dom.js";
import { bare, placeText, shipTitle } from "./notation.js";
import { t } from "./texts.js";

const signed = (number, digits = 1) => `${number < 0 ? "\u2212" : "+"}${Math.abs(number).toFixed(digits)}`;

export class HideAdvice {
  /** `layout` gives the ships; `use` takes others in their place. */
  constructor(rules, { layout, use }) {
    this.rules = rules;
    this.layout = layout;
    this.use = use;
    this.button = h("button", { type: "button", onclick: () => this.ask() }, t("Advice"));
    this.problem = notice("bad");
    this.panel = h("div", { class: "hide-advice", hidden: true });
  }

  /** What was said is about another layout; an answer on its way is dropped. */
  clear() {
    this.asked = null;
    this.panel.hidden = true;
    this.button.disabled = false;
    this.button.textContent = t("Advice");
    say(this.problem, "");
  }

  async ask() {
    const asked = (this.asked = {});
    this.button.disabled = true;
    this.button.textContent = t("Playing games …");
    say(this.problem, "");
    try {
      const advice = await post("/hide", { rules: bare(this.rules), ships: this.layout() });
      if (this.asked === asked) this.show(advice);
    } catch (error) {
      if (this.asked === asked) say(this.problem, error.message);
    } finally {
      if (this.asked === asked) {
        this.button.disabled = false;
        this.button.textContent = t("Advice");
      }
    }
  }

  show({ strategies, giveaway, ships, better }) {
    const rows = strategies.map(({ name, shots, average, gain, better_than }) =>
      h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, shots.toFixed(1)), h("td", {}, average.toFixed(1)), h("td", {}, signed(gain)), h("td", {}, `${Math.round(100 * better_than)}%`)),
    );
    const gained = ships.find(({ ship }) => ship === giveaway)?.gain_if_moved;
    const parts = [
      h(
        "table",
        {},
        h("caption", {}, t("Shots to find this fleet")),
        h("thead", {}, h("tr", {}, ...[t("Strategy"), t("Yours"), t("Average"), t("Gain"), t("Better than")].map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, ...rows),
      ),
      h("p", {}, giveaway ? t("The {ship} gives you away: elsewhere it gains {shots} shots on average.", { ship: shipTitle(giveaway), shots: signed(gained) }) : t("No ship gives you away.")),
    ];
    if (better) {
      const moved = better.ships.find((ship, number) => ship.cell !== this.layout()[number].cell || ship.direction !== this.layout()[number].direction);
      parts.push(
        h(
          "p",
          {},
          `${t("Better: {place}, {shots} shots.", { place: placeText(moved), shots: signed(better.gain) })} `,
          h("button", { type: "button", onclick: () => this.use(better.ships) }, t("Use it")),
        ),
      );
    } else parts.push(h("p", {}, t("No better place for one ship was found.")));
    this.panel.replaceChildren(...parts);
    this.panel.hidden = false;
    announce(`${parts.slice(1).map((part) => part.firstChild.textContent).join(" ")}`);
  }
}
