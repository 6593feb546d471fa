import type { Hex } from '../chain/hex.ts'
import { assemble } from './assemble.ts'

/** How a scan asks for a word of the bitmap and for a tick: by functions of the pool, or in a manager's storage. */
export type ScanCalls =
  | {
      by: 'views'
      /** Selectors of functions of one integer. A tick's answer begins with gross and net liquidity. */
      bitmap: Hex
      tick: Hex
      /** A tick answers just so many words; where one of them is not 0, more than liquidity stands at it. */
      other?: { words: number; at: number }
    }
  | {
      by: 'storage'
      /** Selector of the function that answers a slot. */
      load: Hex
      /** Of the mappings by word and by tick, from the slot of the pool. A tick is net and gross in one word. */
      bitmapOffset: bigint
      ticksOffset: bigint
    }

/** Bytes of an argument for one range; one in a manager's storage begins with the pool's slot. */
const RANGE_BYTES = { views: 32, storage: 64 } as const

/** The first byte is 0: code that begins with 0xef cannot be made (EIP-3541), and the answer is taken for code. */
export const ANSWER_MARK = '00746b73'
export const ANSWER_BYTES = { mark: 4, range: 2, position: 4, flag: 1, liquidity: 32 } as const
export const HEADER_BYTES = ANSWER_BYTES.mark + ANSWER_BYTES.range + ANSWER_BYTES.position
export const RECORD_BYTES = ANSWER_BYTES.range + ANSWER_BYTES.flag + ANSWER_BYTES.position + ANSWER_BYTES.liquidity
export const FLAGS = { liquidity: 0, otherToo: 1, failed: 2 } as const

/** EIP-170, which holds for what a creation returns even where nothing is kept. */
const MAX_ANSWER_BYTES = 24_576
/** What a creation pays for each byte that it returns. */
const GAS_PER_BYTE = 200
/** What one call may take: a tick costs up to 20,000. */
const CALL_GAS = 300_000
/** Is left when a call begins: the call, of which the caller keeps a 64th (EIP-150), its record, and the end. */
const RESERVE = 350_000

/** Words of memory. */
const AT = 32
const MEMORY = {
  rangeAt: 0,
  range: AT,
  target: 2 * AT,
  position: 3 * AT,
  until: 4 * AT,
  spacing: 5 * AT,
  bits: 6 * AT,
  lowest: 7 * AT,
  rest: 8 * AT,
  place: 9 * AT,
  out: 10 * AT,
  // The argument of the range that is scanned.
  slot: 11 * AT,
  packed: 12 * AT,
  // What is hashed.
  key: 13 * AT,
  mapping: 14 * AT,
  // What a call is given: four bytes and a word.
  selector: 15 * AT,
  argument: 15 * AT + 4,
  // What it answers: at most 9 words are looked at.
  first: 17 * AT,
  second: 18 * AT,
} as const
const MAX_REPLY_WORDS = 9
/** The records of the answer; its header stands right before. */
const RECORDS = MEMORY.first + MAX_REPLY_WORDS * AT + AT
const CALL_BYTES = 36

/**
 * Init code that reads the initialised ticks of ranges of pools inside of the node, as an eth_call without a recipient
 * runs it. The ranges follow the code: `[slot (32)] target (20) from (4) until (4) spacing (4)`, where from and until
 * are ticks by the spacing of the bitmap's bits. It ends before its gas does, and answers
 *
 *     mark (4) range (2) position (4)                      how far it came: the number of ranges when it is through
 *     { range (2) flag (1) position (4) net (16) gross (16) } ...
 *
 * with a record for each initialised tick, in their order (flag 1: more than liquidity stands at it), and one of flag 2
 * for a range with a call that failed.
 */
export function scanProgram(calls: ScanCalls): Hex {
  const stride = RANGE_BYTES[calls.by]
  const source = `
      @end =rangeAt
      0 =range
      ${RECORDS} =out

    nextRange:
      CODESIZE [rangeAt] LT ISZERO @finish JUMPI
      ${stride} [rangeAt] ${MEMORY.packed + AT - stride} CODECOPY
      [packed] 96 SHR =target
      [packed] 64 SHR 3 SIGNEXTEND =position
      [packed] 32 SHR 3 SIGNEXTEND =until
      [packed] 0xffffffff AND =spacing

    nextWord:
      [until] [position] SLT ISZERO @rangeDone JUMPI
      ${finishWithoutRoom()}
      ${askBitmap(calls)}
      # Bits below the position are done.
      0 NOT [position] 255 AND SHL [first] AND =bits

    nextBit:
      [bits] ISZERO @wordDone JUMPI
      [bits] DUP1 0 SUB AND =lowest
      ${placeOfLowest()}
      [position] 8 SAR 8 SHL [place] OR =position
      ${finishWithoutRoom()}
      ${askTick(calls)}
      ${record(flagOf(calls), liquidityOf(calls))}
      [bits] [lowest] XOR =bits
      @nextBit JUMP

    wordDone:
      [position] 8 SAR 1 ADD 8 SHL =position
      @nextWord JUMP

    failed:
      ${record(String(FLAGS.failed), '0')}
    rangeDone:
      [range] 1 ADD =range
      [rangeAt] ${stride} ADD =rangeAt
      @nextRange JUMP

    finish:
      0x${ANSWER_MARK} 16 SHL [range] OR 32 SHL [position] 0xffffffff AND OR
      ${RECORDS - AT} MSTORE
      ${RECORDS - HEADER_BYTES} [out] SUB ${RECORDS - HEADER_BYTES} RETURN`
  return assemble(source, MEMORY)
}

/** Ends where one more call might leave too little gas for the answer, or one more record make it too long. */
function finishWithoutRoom(): string {
  return `
      [out] ${GAS_PER_BYTE} MUL ${RESERVE - GAS_PER_BYTE * RECORDS} ADD GAS LT @finish JUMPI
      ${RECORDS - HEADER_BYTES + MAX_ANSWER_BYTES - RECORD_BYTES} [out] GT @finish JUMPI`
}

function askBitmap(calls: ScanCalls): string {
  if (calls.by === 'views') return `[position] 8 SAR ${ask(calls.bitmap, 1)}`
  return `[position] 8 SAR ${slotInMapping(calls.bitmapOffset)} ${ask(calls.load, 1)}`
}

function askTick(calls: ScanCalls): string {
  const tick = '[position] [spacing] MUL'
  if (calls.by === 'storage') return `${tick} ${slotInMapping(calls.ticksOffset)} ${ask(calls.load, 1)}`
  const { tick: selector, other } = calls
  if (other === undefined) return `${tick} ${ask(selector, 2)}`
  return `${tick} ${ask(selector, other.words)} ${AT * other.words} RETURNDATASIZE EQ ISZERO @failed JUMPI`
}

/** Takes a key, leaves its slot (Solidity, layout of state variables in storage). */
function slotInMapping(offset: bigint): string {
  return `=key [slot] ${offset} ADD =mapping ${2 * AT} ${MEMORY.key} KECCAK256`
}

/** Takes the argument of a call, leaves at least so many words of its reply in memory. */
function ask(selector: Hex, words: number): string {
  return `
      ${selector} 224 SHL =selector =argument
      ${AT * words} ${MEMORY.first} ${CALL_BYTES} ${MEMORY.selector} [target] ${CALL_GAS} STATICCALL
      ISZERO @failed JUMPI
      ${AT * words} RETURNDATASIZE LT @failed JUMPI`
}

/** Which bit the only one of a word is, by halves. */
function placeOfLowest(): string {
  const halves = [7, 6, 5, 4, 3, 2, 1, 0].map(
    (power) => `
      [rest] ${2 ** power} SHR ISZERO ISZERO ${power} SHL
      DUP1 [place] ADD =place
      [rest] SWAP1 SHR =rest`,
  )
  return `[lowest] =rest 0 =place ${halves.join('')}`
}

function flagOf(calls: ScanCalls): string {
  const other = calls.by === 'views' ? calls.other : undefined
  if (other === undefined) return String(FLAGS.liquidity)
  // 1 or 0
  return `${MEMORY.first + AT * other.at} MLOAD ISZERO ISZERO`
}

/** Net and gross in one word, as Uniswap V4 stores them. */
function liquidityOf(calls: ScanCalls): string {
  return calls.by === 'storage' ? '[first]' : '[second] 128 SHL [first] 128 SHL 128 SHR OR'
}

function record(flag: string, liquidity: string): string {
  const { range, flag: flagBytes, position } = ANSWER_BYTES
  const head = range + flagBytes + position
  return `
      [range] 8 SHL ${flag} OR 32 SHL [position] 0xffffffff AND OR ${8 * (AT - head)} SHL [out] MSTORE
      ${liquidity} [out] ${head} ADD MSTORE
      [out] ${RECORD_BYTES} ADD =out`
}
