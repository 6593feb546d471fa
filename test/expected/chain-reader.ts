import type { DevnetChain } from '@dexfeed/devnet'
import { type FunctionFragment, Interface } from 'ethers'

export interface Read {
  to: string
  signature: string
  args?: readonly unknown[]
}

interface RpcResponse {
  id: number
  result?: string
  error?: { code: number; message: string }
}

const REVERTED = 3
const CHUNK = 200

/** Returns the results of many `eth_call`s. A result is null if the call reverts or cannot be decoded. */
export async function readContracts(
  { rpcUrl }: Pick<DevnetChain, 'rpcUrl'>,
  reads: readonly Read[],
  block: number | 'latest' = 'latest',
): Promise<(readonly unknown[] | null)[]> {
  const tag = block === 'latest' ? block : `0x${block.toString(16)}`
  const results: (readonly unknown[] | null)[] = []
  for (let first = 0; first < reads.length; first += CHUNK) {
    results.push(...(await readChunk(rpcUrl, reads.slice(first, first + CHUNK), tag)))
  }
  return results
}

async function readChunk(url: string, reads: readonly Read[], tag: string): Promise<(readonly unknown[] | null)[]> {
  const calls = reads.map(({ to, signature, args = [] }, id) => {
    const { face, method } = functionOf(signature)
    return {
      jsonrpc: '2.0',
      id,
      method: 'eth_call',
      params: [{ to, data: face.encodeFunctionData(method, args) }, tag],
    }
  })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(calls) })
  const responses = new Map(
    ((await response.json()) as RpcResponse[]).map((rpcResponse) => [rpcResponse.id, rpcResponse]),
  )
  return reads.map(({ signature }, id) => {
    const { result, error } = responses.get(id) ?? {}
    if (error?.code === REVERTED) return null
    if (result === undefined) throw new Error(`eth_call of ${signature}: ${error?.message ?? 'no response'}`)
    return decode(signature, result)
  })
}

function decode(signature: string, data: string): readonly unknown[] | null {
  const { face, method } = functionOf(signature)
  try {
    return face.decodeFunctionResult(method, data).toArray()
  } catch {
    return null
  }
}

const functions = new Map<string, { face: Interface; method: FunctionFragment }>()

function functionOf(signature: string): { face: Interface; method: FunctionFragment } {
  const known = functions.get(signature)
  if (known) return known
  const face = new Interface([signature])
  const [method] = face.fragments
  if (method?.type !== 'function') throw new Error(`${signature} is not a function`)
  const made = { face, method: method as FunctionFragment }
  functions.set(signature, made)
  return made
}
