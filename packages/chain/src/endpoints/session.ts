import { setImmediate } from 'node:timers/promises'
import { ChainInconsistent, EndpointFailure } from '../errors/chain-error.ts'
import type { RpcReply, RpcRequest } from '../json-rpc/messages.ts'
import type { HttpReplies } from '../transport/http-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { Priority } from './request-gate.ts'

/** One attempt of one operation at one endpoint. */
export interface Session {
  readonly endpoint: Endpoint
  /** 0 for the operation's first attempt. */
  readonly attempt: number
  /** Returns replies in the order of the requests. A reply may be an error. */
  send(requests: readonly RpcRequest[]): Promise<HttpReplies>
  /** Returns results in the order of the requests. An error reply throws. */
  request(requests: readonly RpcRequest[]): Promise<{ results: unknown[]; bytes: number }>
  /** Lets more urgent work run. Call it between pieces of work that take milliseconds. */
  yieldTurn(): Promise<void>
  /** Returns the failure that an error reply means; null for a result. */
  failure(request: RpcRequest, reply: RpcReply): EndpointFailure | null
  /** Returns the failure for data that the node should have but returned as null. It may be there soon. */
  missing(what: string, method?: string): EndpointFailure
  inconsistent(what: string): ChainInconsistent
}

export function openSession(endpoint: Endpoint, attempt: number, priority: Priority, closed: AbortSignal): Session {
  const send: Session['send'] = (requests) => endpoint.send(requests, priority, closed)
  return {
    endpoint,
    attempt,
    send,
    request: (requests) => requestAll(endpoint, send, requests),
    yieldTurn: async () => {
      await setImmediate()
      if (priority === 'bulk') await endpoint.bulkTurn()
    },
    failure: (request, reply) => endpoint.failure(request, reply),
    missing: (what, method = 'eth_getBlockByNumber') => {
      const verdict = { kind: 'not-yet' } as const
      return new EndpointFailure({ endpoint: endpoint.masked, method, verdict, detail: `${what} is not there` })
    },
    inconsistent: (what) => new ChainInconsistent({ endpoint: endpoint.masked, what }),
  }
}

/** Sends all requests. Nodes fill a batch up to a size and return errors for the rest, which is sent again. */
async function requestAll(
  endpoint: Endpoint,
  send: Session['send'],
  requests: readonly RpcRequest[],
): Promise<{ results: unknown[]; bytes: number }> {
  const { replies, bytes } = await send(requests)
  const left: number[] = []
  let failure: EndpointFailure | null = null
  const results = replies.map((reply, i) => {
    const request = requests[i]
    const failed = request ? endpoint.failure(request, reply) : null
    if (failed === null) return 'result' in reply ? reply.result : null
    if (!isTooLarge(failed)) throw failed
    failure ??= failed
    left.push(i)
    return null
  })
  if (failure === null) return { results, bytes }
  // A single response is already too large.
  if (left.length === requests.length) throw failure
  endpoint.limitBatch(requests.length - left.length)
  const rest = await requestAll(
    endpoint,
    send,
    left.flatMap((i) => requests[i] ?? []),
  )
  left.forEach((place, i) => {
    results[place] = rest.results[i]
  })
  return { results, bytes: bytes + rest.bytes }
}

/** Whether a batch is too large. For eth_getLogs, the range is too large instead. */
function isTooLarge({ verdict, method }: EndpointFailure): boolean {
  return method !== 'eth_getLogs' && verdict.kind === 'range'
}
