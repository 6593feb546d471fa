import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { NodeError } from '../../node/node-error.ts'
import type { MadeNetwork } from '../made/made-network.ts'
import { Answerer, type Piece } from './answerer.ts'
import { Budget } from './budget.ts'
import type { MainnetNodePlan } from './messages.ts'
import { type NodeUsage, noUsage } from './usage.ts'

/** A node of a made network on loopback: JSON-RPC over HTTP, newHeads over WebSocket. */
export interface NetworkNode {
  readonly httpUrl: string
  readonly wsUrl: string
  readonly usage: NodeUsage
  /** Makes the next block the head and tells those who subscribed. */
  publish(): void
  close(): void
}

interface RpcMessage {
  id: unknown
  method: string
  params?: readonly unknown[]
}

const TOO_MANY = { code: 429, message: 'rate limit exceeded: too many requests per second' }

export async function serveNetwork(
  network: MadeNetwork,
  { budget: budgetPlan, latencyMs, receipts }: Omit<MainnetNodePlan, 'chain' | 'portal'>,
): Promise<NetworkNode> {
  const answerer = new Answerer(network, receipts)
  const usage = noUsage()
  const replier = new Replier(answerer, new Budget(budgetPlan, () => performance.now()), usage, budgetPlan.refusal)
  const server = createServer((request, response) => void respond(replier, latencyMs, request, response))
  const sockets = new WebSocketServer({ server })
  const subscribers = new Set<WebSocket>()
  sockets.on('connection', (socket) => {
    socket.on('close', () => subscribers.delete(socket))
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data)) as RpcMessage
      const result =
        method === 'eth_subscribe' ? '"0x1"' : method === 'eth_chainId' ? answerer.answer(method, [])[0] : 'null'
      if (method === 'eth_subscribe') subscribers.add(socket)
      socket.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    httpUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    usage,
    publish: () => {
      network.extend()
      const params = `{"subscription":"0x1","result":${answerer.headReport()}}`
      for (const socket of subscribers) {
        socket.send(`{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`)
      }
    },
    close: () => {
      sockets.close()
      for (const socket of subscribers) socket.terminate()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Answers what the budget allows, and counts it. */
class Replier {
  readonly #answerer: Answerer
  readonly #budget: Budget
  readonly #usage: NodeUsage
  readonly #refusal: 'http' | 'item'

  constructor(answerer: Answerer, budget: Budget, usage: NodeUsage, refusal: 'http' | 'item') {
    this.#answerer = answerer
    this.#budget = budget
    this.#usage = usage
    this.#refusal = refusal
  }

  /** The answer's pieces; null: refused as a whole. */
  reply(asked: RpcMessage | readonly RpcMessage[]): Piece[] | null {
    const messages = Array.isArray(asked) ? (asked as readonly RpcMessage[]) : [asked as RpcMessage]
    const allowed = this.#budget.take(messages.length)
    if (allowed < messages.length && this.#refusal === 'http') {
      for (const message of messages) this.#refuse(message)
      return null
    }
    const pieces = messages.flatMap((message, i) => {
      const own = i < allowed ? this.#replyTo(message) : this.#refuse(message)
      return i === 0 ? own : [',', ...own]
    })
    return Array.isArray(asked) ? ['[', ...pieces, ']'] : pieces
  }

  #replyTo({ id, method, params = [] }: RpcMessage): Piece[] {
    const used = this.#usage[this.#answerer.purposeOf(method, params)]
    used.methods[method] = (used.methods[method] ?? 0) + 1
    const opening = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
    try {
      const result = this.#answerer.answer(method, params)
      used.bytes += lengthOf(result)
      return [`${opening}"result":`, ...result, '}']
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      return [`${opening}"error":${JSON.stringify({ code: error.code, message: error.message })}}`]
    }
  }

  #refuse({ id, method, params = [] }: RpcMessage): Piece[] {
    this.#usage[this.#answerer.purposeOf(method, params)].refused++
    return [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(TOO_MANY)}}`]
  }
}

async function respond(
  replier: Replier,
  latencyMs: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const received: Buffer[] = []
  for await (const part of request) received.push(part as Buffer)
  const pieces = replier.reply(JSON.parse(Buffer.concat(received).toString()))
  if (latencyMs > 0) await delay(latencyMs)
  if (pieces === null) {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: TOO_MANY }))
    return
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': lengthOf(pieces) })
  response.cork()
  for (const piece of pieces) response.write(piece, 'latin1')
  response.uncork()
  response.end()
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}
