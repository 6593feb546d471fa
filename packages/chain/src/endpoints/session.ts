import { ChainInconsistent } from '../errors/chain-error.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { RpcReply, RpcRequest } from '../json-rpc/messages.ts'
import type { HttpReplies } from '../transport/http-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { Priority } from './request-gate.ts'

/** One attempt of one operation at one endpoint: all its questions go to the same node. */
export interface Session {
  readonly endpoint: Endpoint
  /** 0 for the operation's first attempt. */
  readonly attempt: number
  /** Replies in the order asked; a reply may be an error. */
  send(requests: readonly RpcRequest[]): Promise<HttpReplies>
  /** Results in the order asked; an error reply throws. */
  ask(requests: readonly RpcRequest[]): Promise<{ results: unknown[]; bytes: number }>
  /** The failure that the error reply to one of the questions is; null for a result. */
  failure(request: RpcRequest, reply: RpcReply): EndpointFailure | null
  /** The failure for what the node should have and answers null for: it may be there soon. */
  missing(what: string, method?: string): EndpointFailure
  inconsistent(what: string): ChainInconsistent
}

export function openSession(endpoint: Endpoint, attempt: number, priority: Priority, closed: AbortSignal): Session {
  const send: Session['send'] = (requests) => endpoint.send(requests, priority, closed)
  return {
    endpoint,
    attempt,
    send,
    ask: async (requests) => {
      const { replies, bytes } = await send(requests)
      const results = replies.map((reply, i) => {
        const request = requests[i]
        if (request && 'error' in reply) throw endpoint.failure(request, reply)
        return 'result' in reply ? reply.result : null
      })
      return { results, bytes }
    },
    failure: (request, reply) => endpoint.failure(request, reply),
    missing: (what, method = 'eth_getBlockByNumber') => {
      const verdict = { kind: 'not-yet' } as const
      return new EndpointFailure({ endpoint: endpoint.masked, method, verdict, detail: `${what} is not there` })
    },
    inconsistent: (what) => new ChainInconsistent({ endpoint: endpoint.masked, what }),
  }
}
