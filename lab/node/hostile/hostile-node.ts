import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '@dexfeed/devnet'
import { type WebSocket, WebSocketServer } from 'ws'
import type { NodeView, RpcQuestion } from './answer-request.ts'
import { breakExchange } from './break-exchange.ts'
import type { ScriptedChain } from './chain/scripted-chain.ts'
import { quantity } from './chain/words.ts'
import type { FaultSchedule } from './fault-schedule.ts'
import type { Fault } from './faults.ts'
import { NodeError } from './node-error.ts'
import type { Proofs } from './show-block.ts'
import { AHEAD, distortView, tellLie } from './tell-lie.ts'

export interface HostileNodeOptions {
  chain: ScriptedChain
  /** What the node serves while it is at the wrong chain. */
  wrongChain: ScriptedChain
  schedule: FaultSchedule
  /** The node's place among the endpoints of its network. */
  endpoint: number
  random: Random
  /** Blocks behind the head that the node calls final. */
  finalityDepth: number
  /** What it shows that proves its blocks; default: nothing. */
  proofs?: Proofs
}

/** An RPC node over HTTP and WebSocket whose answers are as good as the schedule of its faults lets them be. */
export interface HostileNode {
  readonly url: string
  readonly wsUrl: string
  /** Sends the chain's head to the sockets. */
  announce(): void
  stop(): Promise<void>
}

export async function startHostileNode(options: HostileNodeOptions): Promise<HostileNode> {
  const served = { isWrong: false }
  const server = createServer((request, response) => {
    void serve(options, server, served, request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.on('error', () => socket.terminate())
    socket.on('message', (data) => subscribe(options, socket, String(data)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    announce: () => {
      for (const socket of sockets.clients) sendHead(options, socket)
    },
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function serve(
  options: HostileNodeOptions,
  server: Server,
  served: { isWrong: boolean },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as RpcQuestion | RpcQuestion[]
  const questions = Array.isArray(body) ? body : [body]
  const fault = options.schedule.at(options.endpoint, questions.map(subjectOf))
  // Another chain behind the same address is another process: its connections are new.
  if (served.isWrong !== (fault === 'wrong-chain')) {
    served.isWrong = !served.isWrong
    server.closeAllConnections()
    return
  }
  const replies = questions.map((question) => reply(options, question, fault))
  const text = JSON.stringify(Array.isArray(body) ? replies : replies[0])
  if (breakExchange(fault, questions, text, response)) return
  response.setHeader('content-type', 'application/json').end(text)
}

function subjectOf({ method, params: [first] }: RpcQuestion): string {
  return typeof first === 'string' && !first.startsWith('0x') ? first : method
}

function reply(
  { chain, wrongChain, random, finalityDepth, endpoint, proofs = 'none' }: HostileNodeOptions,
  question: RpcQuestion,
  fault: Fault | null,
): object {
  const head = { jsonrpc: '2.0', id: question.id }
  const isWrong = fault === 'wrong-chain' || fault === 'wrong-chain-stays'
  const served = isWrong ? wrongChain : chain
  const view: NodeView = {
    chain: served,
    blocks: served.blocks,
    finalizedNumber: Math.max(0, served.blocks.length - 1 - finalityDepth),
    showsStateSync: endpoint === 0,
    proofs,
  }
  try {
    return { ...head, result: tellLie(distortView(view, fault), question, fault, random) ?? null }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return { ...head, error: { code: error.code, message: error.message } }
  }
}

const SUBSCRIPTION = '0x5eed'

function subscribe({ schedule, endpoint, chain }: HostileNodeOptions, socket: WebSocket, text: string): void {
  const { id, method } = JSON.parse(text) as RpcQuestion
  const fault = method === 'eth_subscribe' ? schedule.at(endpoint, [method]) : null
  if (method === 'eth_chainId') {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: quantity(chain.chainId) }))
  } else if (fault === 'socket-refuses') {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'notifications not supported' } }))
  } else {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: fault === 'socket-mute' ? '0xother' : SUBSCRIPTION }))
  }
}

function sendHead({ schedule, endpoint, chain }: HostileNodeOptions, socket: WebSocket): void {
  const fault = schedule.at(endpoint, ['newHeads'])
  if (fault === 'socket-mute') return
  // To refuse a subscription a node must first have dropped the one that is there.
  if (fault === 'socket-closes' || fault === 'socket-refuses') {
    socket.terminate()
    return
  }
  const { number = 0, hash, parentHash, timestamp = 0 } = chain.blocks.at(-1) ?? {}
  const told = fault === 'socket-ahead' ? { number: number + AHEAD, hash: parentHash } : { number, hash }
  const result = { ...told, number: quantity(told.number), parentHash, timestamp: quantity(timestamp) }
  const message = JSON.stringify({
    jsonrpc: '2.0',
    method: 'eth_subscription',
    params: { subscription: SUBSCRIPTION, result },
  })
  socket.send(message)
  if (fault === 'socket-repeats') socket.send(message)
}
