import { copyOf, type Hex } from '@dexfeed/dex'

/** Texts are looked up by this many last digits. */
const DIGITS = 4
const NINE = 57

/**
 * Caches hex texts of one length that recur in large responses. Each is kept as a copy, because a slice would keep its
 * response in memory. Texts are found by their last digits and compared: hashing a slice takes five times as long. Of
 * texts with the same last digits, the newest is kept.
 */
export class KeptTexts<T extends Hex> {
  readonly #length: number
  readonly #read: (text: string) => T
  readonly #kept = new Array<T | undefined>(16 ** DIGITS)

  constructor(length: number, read: (text: string) => T) {
    this.#length = length
    this.#read = read
  }

  /** Returns the text that begins at a place of a response. @throws what `read` throws */
  at(response: string, from: number): T {
    const end = from + this.#length
    const place = lastDigitsBefore(response, end)
    const known = this.#kept[place]
    const shown = response.slice(from, end)
    if (known === shown) return known
    const value = this.#read(copyOf(shown))
    this.#kept[place] = value
    return value
  }
}

/** Returns a number formed by the last digits before a place, unique for each four digits of lower-case hex. */
export function lastDigitsBefore(text: string, end: number): number {
  let number = 0
  for (let at = end - DIGITS; at < end; at++) {
    const code = text.charCodeAt(at)
    // The low bits of the codes of '0' and 'a' are 0 and 1. For other characters the number only keeps its bounds.
    const digit = code > NINE ? code + 9 : code
    number = number * 16 + (digit & 15)
  }
  return number
}
