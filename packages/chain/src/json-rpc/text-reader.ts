/** What a `TextReader` throws for anything that is not written as nodes usually write it. */
export const UNUSUAL = new Error('not written as usual')
const MOST_NUMBER = 2 ** 31 - 1
const [QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [34, 44, 58, 91, 93, 123, 125]
const [ZERO, NINE, LETTER_A, LETTER_X] = [48, 57, 97, 120]

/** Keys of objects, each with the way that it ends in a text. */
interface Keys<Name extends string> {
  names: readonly Name[]
  ends: readonly string[]
}

export function keysOf<Name extends string>(...names: readonly Name[]): Keys<Name> {
  return { names, ends: names.map((name) => `${name}":`) }
}

/** More fields than objects of nodes have. */
const MOST_REMEMBERED = 64

/** Goes through JSON that is written without spaces and escapes, from one place to the next, and copies nothing of it. */
export class TextReader {
  /** The place of what is next. */
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The code of the next character; NaN behind the end. */
  get next(): number {
    return this.#text.charCodeAt(this.at)
  }

  /** Goes on behind a character that must be the next. */
  expect(code: number): void {
    if (this.#text.charCodeAt(this.at++) !== code) throw UNUSUAL
  }

  /** Behind a field or an element: whether another one follows. */
  goesOn(close: number): boolean {
    const code = this.#text.charCodeAt(this.at++)
    if (code !== COMMA && code !== close) throw UNUSUAL
    return code === COMMA
  }

  /**
   * The next key, which its value follows; undefined for one that is not among the keys.
   *
   * @param order by a field's place in its object, which key it had in the object before: most are alike
   * @param field the place of this one
   */
  key<Name extends string>({ names, ends }: Keys<Name>, order: number[], field: number): Name | undefined {
    this.expect(QUOTE)
    const likely = order[field] ?? -1
    const end = ends[likely]
    if (end !== undefined && this.isNext(end)) return names[likely]
    const from = this.at
    this.at = this.#endFrom(from) + 1
    this.expect(COLON)
    const key = this.#text.slice(from, this.at)
    const index = ends.indexOf(key)
    if (field < MOST_REMEMBERED) order[field] = index
    return names[index]
  }

  /** A text of a length; a quote within would be no digit to whoever reads it. @returns its place */
  textOf(length: number): number {
    this.expect(QUOTE)
    const from = this.at
    if (this.#text.charCodeAt(from + length) !== QUOTE) throw UNUSUAL
    this.at = from + length + 1
    return from
  }

  /** A text of any length, which ends before the last character read. @returns its place */
  value(): number {
    this.expect(QUOTE)
    const from = this.at
    this.at = this.#endFrom(from) + 1
    return from
  }

  /** The place of the next quote. */
  #endFrom(from: number): number {
    const end = this.#text.indexOf('"', from)
    if (end < 0) throw UNUSUAL
    return end
  }

  /** A quantity of a few lower-case digits. */
  number(): number {
    const text = this.#text
    this.expect(QUOTE)
    this.expect(ZERO)
    this.expect(LETTER_X)
    const from = this.at
    let number = 0
    for (let code = text.charCodeAt(this.at++); code !== QUOTE; code = text.charCodeAt(this.at++)) {
      const digit = code <= NINE ? code - ZERO : code >= LETTER_A ? code - LETTER_A + 10 : -1
      // Behind the text's end the code is no number.
      if (!(digit >= 0 && digit <= 15)) throw UNUSUAL
      number = number * 16 + digit
      if (number > MOST_NUMBER) throw UNUSUAL
    }
    if (this.at === from + 1) throw UNUSUAL
    return number
  }

  /** A whole number of decimal digits, which is no text. */
  whole(): number {
    const from = this.at
    let number = 0
    for (let digit = this.next - ZERO; digit >= 0 && digit <= 9; digit = this.next - ZERO) {
      number = number * 10 + digit
      if (number > MOST_NUMBER) throw UNUSUAL
      this.at++
    }
    // JSON's numbers have no zeros in front.
    if (this.at === from || (this.at > from + 1 && this.#text.charCodeAt(from) === ZERO)) throw UNUSUAL
    return number
  }

  /** Goes on behind a word where it is the next. */
  isNext(word: string): boolean {
    const [text, at] = [this.#text, this.at]
    for (let i = 0; i < word.length; i++) if (text.charCodeAt(at + i) !== word.charCodeAt(i)) return false
    this.at = at + word.length
    return true
  }

  /** Goes on behind a value of any kind. */
  skip(): void {
    const text = this.#text
    let depth = 0
    do {
      const code = text.charCodeAt(this.at)
      if (code === QUOTE) {
        this.value()
        continue
      }
      if (code === OPEN || code === OPEN_LIST) depth++
      else if (code === CLOSE || code === CLOSE_LIST) depth--
      if (depth < 0 || Number.isNaN(code)) throw UNUSUAL
      this.at++
    } while (depth > 0 || !isBehindValue(text.charCodeAt(this.at)))
  }
}

function isBehindValue(code: number): boolean {
  return code === COMMA || code === CLOSE || code === CLOSE_LIST
}
