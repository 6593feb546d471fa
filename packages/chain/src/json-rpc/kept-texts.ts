import { copyOf, type Hex } from '@dexfeed/dex'

/** Digits by which a text is looked up. */
const DIGITS = 4
const NINE = 57

/**
 * Hex texts of one length that come again and again in large answers. Each is read once and kept as a copy: a slice would
 * keep its answer in memory. They are found by their last digits and compared, because hashing a slice takes five times
 * as long; of several that end alike the last one is kept.
 */
export class KeptTexts<T extends Hex> {
  readonly #length: number
  readonly #read: (text: string) => T
  readonly #kept = new Array<T | undefined>(16 ** DIGITS)

  constructor(length: number, read: (text: string) => T) {
    this.#length = length
    this.#read = read
  }

  /** The text that begins at a place of an answer. @throws what reading it throws */
  at(response: string, from: number): T {
    const end = from + this.#length
    const place = lastDigitsAt(response, end)
    const known = this.#kept[place]
    const shown = response.slice(from, end)
    if (known === shown) return known
    const value = this.#read(copyOf(shown))
    this.#kept[place] = value
    return value
  }
}

/** A number made of the last digits in front of a place, another one for each four digits of lower-case hex. */
export function lastDigitsAt(text: string, end: number): number {
  let number = 0
  for (let at = end - DIGITS; at < end; at++) {
    const code = text.charCodeAt(at)
    // The codes of '0' and 'a' end in the bits of 0 and 1. Of what is no digit the number only stays within its bounds.
    const digit = code > NINE ? code + 9 : code
    number = number * 16 + (digit & 15)
  }
  return number
}
