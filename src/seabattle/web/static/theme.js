// Runs before the page is drawn, so that a chosen theme does not flash the other one first.
const chosen = localStorage.getItem("seabattle.theme");
if (chosen) document.documentElement.dataset.theme = chosen;
