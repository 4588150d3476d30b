// Results: the report pages on this machine.

import { get } from "./api.js";
import { h, withCode } from "./dom.js";
import { language, t } from "./texts.js";

export async function results(main) {
  const { reports } = await get("/reports");
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, t("Results")), h("p", { class: "lead" }, t("Leaderboards and comparisons made on this machine."))),
    reports.length
      ? h("ul", { class: "reports" }, reports.map((report) => h("li", {}, h("a", { class: "card report", href: report.address, target: "_blank", rel: "noopener" }, h("h2", {}, report.title), h("p", { class: "quiet" }, `${report.file} · ${new Date(report.made * 1000).toLocaleString(language)}`)))))
      : h("section", { class: "card" }, h("h2", {}, t("Nothing here yet")), h("p", {}, withCode(t("Run {command} and reload this page: every report in the folder {folder} is listed here."), { command: "seabattle leaderboard --out out/leaderboard", folder: "out" }))),
  );
}
