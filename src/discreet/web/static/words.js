// What a row is called, as its owner said: patients, baskets; people or rows if nobody did.

import { number } from "./dom.js";
import * as state from "./state.js";

/** Return the word for several rows. */
export const noun = (otherwise = "people") => state.recall("noun") ?? otherwise;

const one = (many) => (many === "people" ? "person" : many.replace(/s$/, ""));

/** Return "1 basket" or "2 baskets". */
export function countRows(value) {
  const many = noun("rows");
  return `${number(value)} ${value === 1 ? one(many) : many}`;
}

/** Return "5", or "1 to 4". */
export const limits = (low, high) => (low === high ? number(low) : `${number(low)} to ${number(high)}`);

/** Return "1 person", "5 people" or "1 to 4 people". */
export const countPeople = (low, high) => `${limits(low, high)} ${high === 1 ? one(noun()) : noun()}`;
