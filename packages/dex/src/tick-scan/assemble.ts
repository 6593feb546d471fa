import type { Hex } from '../chain/hex.ts'

/** The opcodes that programs here are made of (Yellow Paper, appendix H). No later one than Constantinople's. */
const OPCODES: Readonly<Record<string, number>> = {
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  SIGNEXTEND: 0x0b,
  LT: 0x10,
  GT: 0x11,
  SLT: 0x12,
  EQ: 0x14,
  ISZERO: 0x15,
  AND: 0x16,
  OR: 0x17,
  XOR: 0x18,
  NOT: 0x19,
  SHL: 0x1b,
  SHR: 0x1c,
  SAR: 0x1d,
  KECCAK256: 0x20,
  CODESIZE: 0x38,
  CODECOPY: 0x39,
  RETURNDATASIZE: 0x3d,
  MLOAD: 0x51,
  MSTORE: 0x52,
  JUMP: 0x56,
  JUMPI: 0x57,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  DUP1: 0x80,
  SWAP1: 0x90,
  RETURN: 0xf3,
  STATICCALL: 0xfa,
}
const PUSH1 = 0x60
const PUSH2 = 0x61
/** Of a jump: PUSH2 and where to. */
const LABEL_BYTES = 3

type Piece = { bytes: string } | { jumpTo: string }

/**
 * Machine code of the EVM from its assembly, words between spaces, from `#` to the end of the line a comment:
 *
 * - `ADD`: an opcode. The last word pushed is its first operand.
 * - `12`, `0xff`: pushes a number
 * - `[name]`: pushes the word of memory that has this name; `=name`: takes a word off the stack and stores it there
 * - `name:`: where a jump may lead; `@name`: pushes that place. `@end` is the length of the code.
 *
 * @param memory where each named word of memory lies
 */
export function assemble(source: string, memory: Readonly<Record<string, number>>): Hex {
  const pieces: Piece[] = []
  const places = new Map<string, number>()
  let length = 0
  const add = (piece: Piece) => {
    pieces.push(piece)
    length += 'bytes' in piece ? piece.bytes.length / 2 : LABEL_BYTES
  }
  for (const word of wordsOf(source)) {
    if (word.startsWith('@')) add({ jumpTo: word.slice(1) })
    else if (word.endsWith(':')) {
      const name = word.slice(0, -1)
      if (places.has(name)) throw new Error(`${name} stands twice`)
      places.set(name, length)
      add({ bytes: opcode('JUMPDEST') })
    } else add({ bytes: instruction(word, memory) })
  }
  places.set('end', length)
  return `0x${pieces.map((piece) => ('bytes' in piece ? piece.bytes : jumpTo(piece.jumpTo, places))).join('')}`
}

function wordsOf(source: string): string[] {
  return source
    .split('\n')
    .flatMap((line) => line.replace(/#.*/, '').split(/\s+/))
    .filter((word) => word !== '')
}

function instruction(word: string, memory: Readonly<Record<string, number>>): string {
  const [, name] = /^\[(\w+)\]$/.exec(word) ?? []
  if (name !== undefined) return push(placeOf(name, memory)) + opcode('MLOAD')
  if (word.startsWith('=')) return push(placeOf(word.slice(1), memory)) + opcode('MSTORE')
  return /^\d/.test(word) ? push(BigInt(word)) : opcode(word)
}

function placeOf(name: string, memory: Readonly<Record<string, number>>): bigint {
  const place = memory[name]
  if (place === undefined) throw new Error(`no word of memory is called ${name}`)
  return BigInt(place)
}

function opcode(name: string): string {
  const code = OPCODES[name]
  if (code === undefined) throw new Error(`${name} is no instruction`)
  return hexOf(code, 1)
}

function push(value: bigint): string {
  const digits = value.toString(16)
  const bytes = Math.ceil(digits.length / 2)
  if (bytes > 32) throw new Error(`${value} is no word`)
  return hexOf(PUSH1 - 1 + bytes, 1) + digits.padStart(2 * bytes, '0')
}

function jumpTo(name: string, places: ReadonlyMap<string, number>): string {
  const place = places.get(name)
  if (place === undefined) throw new Error(`nothing is called ${name}`)
  return hexOf(PUSH2, 1) + hexOf(place, 2)
}

function hexOf(value: number, bytes: number): string {
  return value.toString(16).padStart(2 * bytes, '0')
}
