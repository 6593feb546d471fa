import { InvalidRequest } from '@dexfeed/contract'

/** The deepest valid body, a batch of quotes, has six. */
const MAX_LEVELS = 8
const MAX_FIELDS = 32
const MAX_ITEMS = 1_000

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OBJECT = [0x7b, 0x7d] as const
const ARRAY = [0x5b, 0x5d] as const

/**
 * Refuses JSON that is deeper, or has more fields or items, than any valid request. Runs before the parser, because
 * thousands of unknown fields would take longer than a hundred quotes. Text that is not JSON may pass.
 *
 * @throws InvalidRequest
 */
export function checkBounds(json: Uint8Array): void {
  const left: number[] = []
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at)
    else if (byte === OBJECT[0]) left.push(MAX_FIELDS)
    else if (byte === ARRAY[0]) left.push(MAX_ITEMS)
    else if (byte === OBJECT[1] || byte === ARRAY[1]) left.pop()
    else if (byte === COMMA) {
      const ofInnermost = left.pop()
      if (ofInnermost !== undefined) left.push(ofInnermost - 1)
    }
    if (left.length > MAX_LEVELS) throw new InvalidRequest(`the body has more than ${MAX_LEVELS} levels`)
    if (left.at(-1) === 0) {
      throw new InvalidRequest(`the body has more than ${MAX_FIELDS} fields or ${MAX_ITEMS} items in one place`)
    }
  }
}

function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}
