// My games: results, means and accuracy against each opponent, and a rating. The games are kept in
// this browser alone; the server adds them up and keeps nothing.

import { post } from "./api.js";
import { h, memory, percent, saveFile, svg, toast } from "./dom.js";
import { t, tn } from "./texts.js";

const MOST = 500;

export const myGames = {
  all: () => memory.get("my-games", []),
  /** Add a finished game, or what is learned about it later. */
  keep(game) {
    const games = this.all();
    const place = games.findIndex(({ id }) => id === game.id);
    if (place < 0) games.push({ when: Date.now(), ...game });
    else games[place] = { ...games[place], ...game };
    memory.set("my-games", games.slice(-MOST));
  },
};

/** The games in the form that the server adds up. */
const lines = (games) => games.map((game) => [game.opponent ?? "", game.rules, game.result, game.shots, game.accuracy ?? null, game.complete ?? true, game.person ?? false]);

/** What the games add up to; null without games. */
export async function summary(games = myGames.all()) {
  return games.length ? post("/my-games", { games: lines(games) }) : null;
}

const number = (value, digits = 1) => (value === null ? "–" : value.toFixed(digits));

export async function showMyGames(main) {
  const games = myGames.all();
  const intro = h("div", { class: "intro" }, h("h1", {}, t("My games")), h("p", { class: "lead" }, t("Your results against each opponent. They are kept in this browser only.")));
  const found = await summary(games);
  if (!found) {
    main.replaceChildren(intro, h("section", { class: "card" }, h("h2", {}, t("No finished games yet")), h("p", {}, t("Games that you finish in this browser are counted here."), " ", h("a", { href: "#/play" }, t("Play one")), ".")));
    return;
  }
  const wins = games.filter(({ result }) => result === "won").length;
  const duels = found.opponents.filter((each) => each.games > each.solo);
  const solo = found.opponents.filter((each) => each.solo);
  const head = (...titles) => h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title))));
  const name = (each) => h("th", { scope: "row" }, each.opponent || t("nobody"), h("small", { class: "quiet" }, ` ${each.rules}`));
  const wipe = h("button", { type: "button", class: "quiet-button", onclick: () => {
    const days = memory.get("puzzle-days", []);
    memory.set("my-games", []);
    memory.set("puzzle-days", []);
    const undo = h("button", { type: "button", class: "main", onclick: () => {
      memory.set("my-games", games);
      memory.set("puzzle-days", days);
      showMyGames(main);
    } }, t("Undo"));
    main.replaceChildren(intro, h("section", { class: "card" }, h("h2", {}, t("All games are deleted")), h("p", {}, t("They have been removed from this browser.")), h("p", {}, undo)));
    undo.focus();
  } }, t("Delete all"));
  const parts = [
    intro,
    h("div", { class: "tiles" }, tile(t("Rating"), found.rating === null ? "–" : String(Math.round(found.rating)), found.rating === null ? t("after a game against a rated opponent") : t("everybody starts at {start}", { start: found.start })), tile(t("Games"), String(games.length), tn(wins, "{n} won", "{n} won")), tile(t("Accuracy"), meanAccuracy(games), t("mean of your reviewed games"))),
    duels.length ? h("section", { class: "card" }, h("h2", {}, t("Wins against each opponent")), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("Wins against each opponent") }, h("table", { class: "tally" }, head(t("Opponent"), t("Games"), t("Won"), t("Drawn"), t("Lost"), t("Wins : losses"), t("Share of wins"), t("Mean shots"), t("Accuracy")), h("tbody", {}, duels.map((each) => h("tr", {}, name(each), h("td", {}, each.games), h("td", {}, each.won), h("td", {}, each.drawn), h("td", {}, each.lost), h("td", {}, each.lost ? (each.won / each.lost).toFixed(2) : "–"), h("td", {}, bar(each.win_share), h("span", { class: "share" }, percent(each.win_share))), h("td", {}, number(each.mean_shots)), h("td", {}, each.accuracy === null ? "–" : `${each.accuracy.toFixed(0)}%`)))))), h("p", { class: "hint" }, t("Mean shots counts the games in which you found the whole fleet. Opponents have ratings only under preset rules, so only those games change your rating."))) : null,
    solo.length ? h("section", { class: "card" }, h("h2", {}, t("Solo")), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("Solo") }, h("table", { class: "tally" }, head(t("Rules"), t("Games"), t("Mean shots"), t("Latest ten"), t("Best"), t("Accuracy")), h("tbody", {}, solo.map((each) => h("tr", {}, h("th", { scope: "row" }, each.rules), h("td", {}, each.solo), h("td", {}, number(each.mean_shots)), h("td", {}, number(each.recent_shots)), h("td", {}, each.best_shots ?? "–"), h("td", {}, each.accuracy === null ? "–" : `${each.accuracy.toFixed(0)}%`))))))) : null,
    ratingChart(found, main),
    h("section", { class: "card" }, h("h2", {}, t("Your data")), h("div", { class: "actions" }, h("button", { type: "button", onclick: () => {
      saveFile("seabattle-my-games.json", JSON.stringify({ games, summary: found }, null, 1), "application/json");
      toast(t("Exported."));
    } }, t("Export")), wipe)),
  ];
  main.replaceChildren(...parts.filter(Boolean));
}

const tile = (title, value, note) => h("section", { class: "card tile" }, h("h2", {}, title), h("p", { class: "figure" }, value), h("p", { class: "quiet" }, note));

function meanAccuracy(games) {
  const known = games.map(({ accuracy }) => accuracy).filter((value) => typeof value === "number");
  return known.length ? `${Math.round(known.reduce((sum, value) => sum + value, 0) / known.length)}%` : "–";
}

function bar(share) {
  const picture = svg("svg", { viewBox: "0 0 60 10", class: "bar", "aria-hidden": "true" });
  picture.append(svg("rect", { class: "rest", width: 60, height: 10, rx: 2 }), svg("rect", { class: "part", width: 60 * share, height: 10, rx: 2 }));
  return picture;
}

function ratingChart({ history, start }, main) {
  const ratings = [start, ...history.filter((rating) => rating !== null)];
  if (ratings.length < 3) return null;
  // As wide as it is shown: a picture that is scaled would scale its words, too.
  const width = Math.min(1000, Math.max(260, main.clientWidth - 90));
  const [height, left, bottom] = [170, 44, 24];
  const low = Math.floor((Math.min(...ratings) - 10) / 50) * 50;
  const high = Math.ceil((Math.max(...ratings) + 10) / 50) * 50;
  const x = (k) => left + (k / (ratings.length - 1)) * (width - left - 10);
  const y = (rating) => 10 + ((high - rating) / (high - low)) * (height - 10 - bottom);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("Your rating after each rated game") });
  for (const value of [low, (low + high) / 2, high]) picture.append(svg("line", { class: "grid", x1: left, x2: width - 10, y1: y(value), y2: y(value) }), svg("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, String(value)));
  picture.append(svg("polyline", { class: "luck side-0", points: ratings.map((rating, k) => `${x(k).toFixed(1)},${y(rating).toFixed(1)}`).join(" ") }), svg("text", { class: "tick", x: left, y: height - 6 }, "0"), svg("text", { class: "tick", x: width - 10, y: height - 6, "text-anchor": "end" }, tn(ratings.length - 1, "{n} rated game", "{n} rated games")));
  return h("section", { class: "card" }, h("h2", {}, t("Rating")), h("div", { class: "chart" }, picture));
}
