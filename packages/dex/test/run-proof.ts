import { Interface } from 'ethers'
import type { Hex } from '../src/chain/hex.ts'
import type { Pool } from '../src/pool.ts'
import type { PoolProof } from '../src/protocols/protocol.ts'

/** What a contract returns: the ABI of the call as in its source, arguments and results. */
export interface KnownResult {
  to: string
  abi: string
  args?: readonly unknown[]
  result: readonly unknown[]
}

/** Runs a proof against contracts with these known results; any other call reverts. */
export function answerProof(proof: PoolProof, known: readonly KnownResult[]): Pool | null {
  const replies = new Map(known.map(encode))
  let step = proof.next([])
  while (!step.done) step = proof.next(step.value.map(({ to, data }) => replies.get(`${to} ${data}`) ?? null))
  return step.value !== null && 'keyLog' in step.value ? null : step.value
}

function encode({ to, abi, args = [], result }: KnownResult): [string, Hex] {
  const face = new Interface([abi])
  const call = face.getFunction(/^function (\w+)\(/.exec(abi)?.[1] ?? '')
  if (call === null) throw new Error(`no function in ${abi}`)
  const question = `${to.toLowerCase()} ${face.encodeFunctionData(call, args)}`
  return [question, face.encodeFunctionResult(call, result) as Hex]
}
