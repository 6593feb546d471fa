import { type Input, RLP } from '@ethereumjs/rlp'
import type { Keccak } from './keccak.ts'

interface Entry {
  /** Nibbles. */
  key: readonly number[]
  value: Uint8Array
}

const NOTHING = new Uint8Array()
/** A node with a shorter encoding is inlined in its parent. */
const SHORTEST_HASHED = 32

/** Returns the root of a trie whose keys are the RLP of the values' indexes (Yellow Paper, appendix D). */
export function listRoot(values: readonly Uint8Array[], keccak: Keccak): Uint8Array {
  const entries = values.map((value, index) => ({ key: nibblesOf(RLP.encode(index)), value }))
  return keccak(RLP.encode(nodeOf(entries, 0, keccak)))
}

/** Assumes that no key is a prefix of another. */
function nodeOf(entries: readonly Entry[], depth: number, keccak: Keccak): Input {
  const [first] = entries
  if (first === undefined) return NOTHING
  if (entries.length === 1) return [hexPrefix(first.key.slice(depth), true), first.value]
  const shared = sharedLength(entries)
  if (shared > depth) return [hexPrefix(first.key.slice(depth, shared), false), referenceTo(entries, shared, keccak)]
  const children = Array.from({ length: 16 }, (_, nibble) => entries.filter(({ key }) => key[depth] === nibble))
  return [...children.map((below) => referenceTo(below, depth + 1, keccak)), NOTHING]
}

function referenceTo(entries: readonly Entry[], depth: number, keccak: Keccak): Input {
  const node = nodeOf(entries, depth, keccak)
  const encoded = RLP.encode(node)
  return encoded.length < SHORTEST_HASHED ? node : keccak(encoded)
}

/** Packs nibbles into bytes, after flags for an odd length and for a leaf (appendix C). */
function hexPrefix(nibbles: readonly number[], isLeaf: boolean): Uint8Array {
  const flag = isLeaf ? 2 : 0
  const padded = nibbles.length % 2 === 1 ? [flag + 1, ...nibbles] : [flag, 0, ...nibbles]
  return Uint8Array.from({ length: padded.length / 2 }, (_, i) => (padded[2 * i] ?? 0) * 16 + (padded[2 * i + 1] ?? 0))
}

function nibblesOf(bytes: Uint8Array): number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 15])
}

function sharedLength(entries: readonly Entry[]): number {
  const first = entries[0]?.key ?? []
  const differs = first.findIndex((nibble, i) => entries.some(({ key }) => key[i] !== nibble))
  return differs < 0 ? first.length : differs
}
