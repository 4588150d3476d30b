// The texts of the page. The English text is the key; a language is a file texts/CODE.json that
// maps each text of texts/en.json to its translation, with the same {names} in braces.

/** The languages that have a file, as the server lists them in the page. */
export const languages = (document.documentElement.dataset.languages ?? "en").split(" ");

const wanted = [localStorage.getItem("seabattle.language"), ...navigator.languages.map((code) => code.slice(0, 2))];
export const language = wanted.find((code) => languages.includes(code)) ?? "en";

let translated = {};
if (language !== "en") {
  try {
    translated = await (await fetch(`/static/texts/${language}.json`)).json();
    document.documentElement.lang = language;
  } catch {
    // Without its file, the page is in English.
  }
}

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));

/** A text in the language of the page, with {names} replaced by values. */
export const t = (text, values = {}) => filled(translated[text] ?? text, values);

/** One of two texts, for one and for several; {n} is the number. A language with more forms
 * translates the second text by an object: { "one": …, "few": …, "many": …, "other": … }. */
export function tn(number, one, several, values = {}) {
  const form = new Intl.PluralRules(language).select(number);
  const forms = translated[several];
  const text = typeof forms === "object" ? (forms[form] ?? forms.other) : form === "one" ? (translated[one] ?? one) : (forms ?? several);
  return filled(text, { n: number.toLocaleString(language), ...values });
}

/** A list in words: A, B and C. */
export const listed = (words) => new Intl.ListFormat(language).format(words);
