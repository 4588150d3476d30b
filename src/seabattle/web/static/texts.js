// The texts of the page. The English text is the key; a language is a file texts/CODE.json that
// maps each text of texts/en.json to its translation, with the same {names} in braces.

/** The languages that have a file; English needs none. */
const LANGUAGES = ["en"];

const wanted = localStorage.getItem("seabattle.language") ?? navigator.languages?.map((code) => code.slice(0, 2)).find((code) => LANGUAGES.includes(code)) ?? "en";
export const language = LANGUAGES.includes(wanted) || localStorage.getItem("seabattle.language") ? wanted : "en";

let translated = {};
if (language !== "en") {
  try {
    translated = await (await fetch(`/static/texts/${encodeURIComponent(language)}.json`)).json();
    document.documentElement.lang = language;
  } catch {
    // Without its file, the page is in English.
  }
}

/** A text in the language of the page, with {names} replaced by values. */
export function t(text, values = {}) {
  return (translated[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

/** One of two texts, for one and for several; {n} is the number. */
export function tn(number, one, several, values = {}) {
  const shown = Number.isInteger(number) ? number.toLocaleString(language) : number;
  return t(new Intl.PluralRules(language).select(number) === "one" ? one : several, { n: shown, ...values });
}
