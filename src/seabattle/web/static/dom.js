// Elements, announcements, numbers as text, and what the browser remembers.

import { language } from "./texts.js";

/** An element with attributes, listeners (`onclick`) and children. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value === "boolean") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A text in which each {name} stands for a piece of code, as children of an element. */
export const withCode = (text, pieces) => text.split(/\{(\w+)\}/).map((part, k) => (k % 2 ? h("code", {}, pieces[part]) : part));

const SVG = "http://www.w3.org/2000/svg";

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Tell users of screen readers what happened. */
export function announce(text) {
  const place = document.getElementById("announce");
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}

let fading;
/** A message over the bottom of the page, where it moves nothing; it goes after a while. */
export function toast(text, kind = "") {
  const place = document.getElementById("toast");
  clearTimeout(fading);
  place.className = `toast ${kind}`;
  say(place, text);
  if (text) fading = setTimeout(() => say(place, ""), 7000);
}

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** A function that runs once its calls have paused. */
export function debounced(action, milliseconds) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
}

export const memory = {
  get(key, fallback) {
    try {
      return JSON.parse(localStorage.getItem(`seabattle.${key}`)) ?? fallback;
    } catch {
      return fallback;
    }
  },
  set(key, value) {
    localStorage.setItem(`seabattle.${key}`, JSON.stringify(value));
  },
};

/** 15,046,987,768; from 10¹⁵ on 1.50 × 10¹⁵. */
export function count(number) {
  if (number < 1e15) return number.toLocaleString(language);
  const [digits, power] = number.toExponential(2).split("e+");
  return `${digits} × 10${[...power].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}

export const percent = (p) => (p > 0 && p < 0.01 ? "<1%" : p < 1 && p > 0.99 ? ">99%" : `${Math.round(p * 100)}%`);

/** A switch that is on or off. */
export function toggle(label, on, changed, title) {
  const button = h("button", { type: "button", class: "toggle", "aria-pressed": String(on), title }, h("span", { class: "knob", "aria-hidden": "true" }), label);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    changed(now);
  });
  return button;
}

/** Ask in a dialog; whether the answer is yes. Escape is no. */
export function ask(question, yes, no) {
  return new Promise((answered) => {
    const button = (label, kind, value) => h("button", { type: "button", class: kind, onclick: () => dialog.close(value) }, label);
    const dialog = h("dialog", { class: "ask card", "aria-labelledby": "question" }, h("p", { id: "question" }, question), h("div", { class: "actions" }, button(no, "main", ""), button(yes, "", "yes")));
    dialog.addEventListener("close", () => {
      dialog.remove();
      answered(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** A message, hidden while it is empty. */
export function notice(kind = "") {
  return h("p", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status", hidden: true });
}

export function say(place, text) {
  place.textContent = text;
  place.hidden = !text;
}

/** Text for a clipboard; whether it could be copied. */
export async function copyText(text, box) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Over plain HTTP there is no clipboard, but a selected field can be copied.
    box?.select();
    return Boolean(box) && document.execCommand("copy");
  }
}

/** Let the browser save a file: text, or a blob. */
export function saveFile(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Do `action` when a form is submitted. Its button is disabled meanwhile; `problem` says what
 * went wrong. */
export function onSubmit(form, button, problem, action) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await action();
    } catch (error) {
      say(problem, error.message);
      button.disabled = false;
    }
  });
}
