// Runs before the page is drawn, so that it does not flash in the wrong theme first.
const darkScheme = matchMedia("(prefers-color-scheme: dark)");
const applyTheme = () => {
  document.documentElement.dataset.theme = localStorage.getItem("seabattle.theme") ?? (darkScheme.matches ? "dark" : "light");
};
applyTheme();
darkScheme.addEventListener("change", applyTheme);
