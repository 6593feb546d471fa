import { Interface } from 'ethers'
import type { Hex } from '../src/chain.ts'
import type { Pool } from '../src/pool.ts'
import type { PoolState } from '../src/pool-state.ts'
import type { CallResults, EthCall, PoolProof, StateReading } from '../src/venues/protocol.ts'

/** What a contract returns: the ABI of the call as in its source, the arguments and the results. */
export interface KnownResult {
  to: string
  abi: string
  args?: readonly unknown[]
  result: readonly unknown[]
}

/** Runs a proof against contracts with these known results. Any other call reverts. */
export function answerProof(proof: PoolProof, known: readonly KnownResult[]): Pool | null {
  const proven = runSteps(proof, knownReplies(known))
  return proven !== null && 'keyLog' in proven ? null : proven
}

/** Runs a proof, or another reading of contracts, whose calls return what `answer` gives. */
export function runSteps<Result>(
  steps: Generator<readonly EthCall[], Result, CallResults>,
  answer: (call: EthCall) => Hex | null,
): Result {
  let step = steps.next([])
  while (!step.done) step = steps.next(step.value.map(answer))
  return step.value
}

/** Returns a function from a call to the known contracts' reply, or null for an unknown call. */
export function knownReplies(known: readonly KnownResult[]): (call: EthCall) => Hex | null {
  const replies = new Map(known.map(encode))
  return ({ to, data }) => replies.get(`${to} ${data}`) ?? null
}

/** Cached, because the cases of a fixture share most results, and parsing an ABI takes long. */
const encoded = new WeakMap<KnownResult, readonly [question: string, reply: Hex]>()

function encode(known: KnownResult): readonly [question: string, reply: Hex] {
  const entry = encoded.get(known) ?? encodeResult(known)
  encoded.set(known, entry)
  return entry
}

function encodeResult({ to, abi, args = [], result }: KnownResult): [string, Hex] {
  const face = new Interface([abi])
  const call = face.getFunction(/^function (\w+)\(/.exec(abi)?.[1] ?? '')
  if (call === null) throw new Error(`no function in ${abi}`)
  const question = `${to.toLowerCase()} ${face.encodeFunctionData(call, args)}`
  return [question, face.encodeFunctionResult(call, result) as Hex]
}

/** Reads a pool's state, given the known results of all calls in their order. */
export function readState(reading: StateReading | null, pool: Pool, results: CallResults): PoolState | null {
  let next = 0
  return readStateBy(reading, pool, (calls) => {
    next += calls.length
    return results.slice(next - calls.length, next)
  })
}

/** Reads a pool's state; `answer` returns the results of a round of calls. */
export function readStateBy(
  reading: StateReading | null,
  pool: Pool,
  answer: (calls: readonly EthCall[]) => CallResults,
  timestamp = 0,
): PoolState | null {
  const steps = reading?.steps(pool, timestamp)
  if (steps === undefined) return null
  let step = steps.next([])
  while (!step.done) step = steps.next(answer(step.value))
  return step.value
}
