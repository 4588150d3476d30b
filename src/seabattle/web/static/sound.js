// Sounds of shots, made by the browser; off unless switched on.

import { memory } from "./dom.js";

let context;

const on = () => memory.get("sound", false);

/** A tone that falls from one pitch to another and fades. */
function tone(from, to, seconds, { type = "sine", volume = 0.2, after = 0 } = {}) {
  const start = context.currentTime + after;
  const source = context.createOscillator();
  const gain = context.createGain();
  source.type = type;
  source.frequency.setValueAtTime(from, start);
  source.frequency.exponentialRampToValueAtTime(to, start + seconds);
  gain.gain.setValueAtTime(volume, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + seconds);
  source.connect(gain).connect(context.destination);
  source.start(start);
  source.stop(start + seconds);
}

/** The sound of an answer: "miss", "hit" or "sunk"; a wasted move sounds like a miss. */
export function playSound(told) {
  if (!on() || !globalThis.AudioContext) return;
  context ??= new AudioContext();
  if (told === "miss" || told === "wasted") tone(700, 220, 0.16, { volume: 0.12 });
  else {
    tone(160, 45, 0.35, { type: "square", volume: 0.12 });
    if (told === "sunk") for (const [after, pitch] of [[0.3, 392], [0.48, 523]]) tone(pitch, pitch, 0.3, { after, type: "triangle" });
  }
}
