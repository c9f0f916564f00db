// Numbers as people write them: with a point or a comma, as a share or a count.

const PLAIN = /^(\d+(?:\.\d*)?|\.\d+)(%?)$/;
const THOUSANDS = /^[1-9]\d{0,2}(,\d{3})+$/;

/** Return a number as the server takes it, such as "5%", "0.05" or "1000" for "1,000"; null if it is none. */
export function normal(text) {
  const bare = String(text).replace(/[\s\u00a0\u202f']/g, "");
  const plain = THOUSANDS.test(bare) ? bare.replaceAll(",", "") : bare.replace(",", ".");
  return PLAIN.test(plain) ? plain : null;
}

/** Return the share of ``n`` that a text stands for, or null: 5%, 0.05 or a number of rows. */
export function shareOf(text, n) {
  const [, digits, sign] = PLAIN.exec(normal(text) ?? "") ?? [];
  if (!digits) return null;
  const value = Number(digits);
  const share = sign ? value / 100 : digits.includes(".") ? value : value / n;
  return share > 0 && share <= 1 ? share : null;
}

/** Return a whole number from ``least`` on, or null. */
export function whole(text, least = 0) {
  const plain = normal(text);
  const value = plain === null || !/^\d+$/.test(plain) ? NaN : Number(plain);
  return value >= least ? value : null;
}
