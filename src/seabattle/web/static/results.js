// Results: the games that people finished on this server, and the report pages on this machine.

import { get } from "./api.js";
import { h, withCode } from "./dom.js";
import { language, t } from "./texts.js";

export async function results(main) {
  const [{ reports }, { opponents }] = await Promise.all([get("/reports"), get("/tally")]);
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, t("Results")), h("p", { class: "lead" }, t("Leaderboards and comparisons made on this machine."))),
    ...(opponents.length ? [tally(opponents)] : []),
    reports.length
      ? h("ul", { class: "reports" }, reports.map((report) => h("li", {}, h("a", { class: "card report", href: report.address, target: "_blank", rel: "noopener" }, h("h2", {}, report.title), h("p", { class: "quiet" }, `${report.file} · ${new Date(report.made * 1000).toLocaleString(language)}`)))))
      : h("section", { class: "card" }, h("h2", {}, t("Nothing here yet")), h("p", {}, withCode(t("Run {command} and reload this page: every report in the folder {folder} is listed here."), { command: "seabattle leaderboard --out out/leaderboard", folder: "out" }))),
  );
}

// What people have won here against each player, without saying who or when.
function tally(opponents) {
  const title = t("People against players");
  const head = h("thead", {}, h("tr", {}, [t("Opponent"), t("Games"), t("Won"), t("Drawn"), t("Lost"), t("Share of wins")].map((each) => h("th", { scope: "col" }, each))));
  const row = ({ opponent, won, drawn, lost }) => {
    const games = won + drawn + lost;
    return h("tr", {}, h("th", { scope: "row" }, opponent), [games, won, drawn, lost, `${Math.round((100 * won) / games)}%`].map((each) => h("td", {}, each)));
  };
  return h("section", { class: "card" }, h("h2", {}, title), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, h("table", { class: "tally" }, head, h("tbody", {}, opponents.map(row)))), h("p", { class: "hint" }, t("All games that people have finished on this server against each player.")));
}
