import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hex, PoolState } from '@dexfeed/dex'
import { type WebSocket, WebSocketServer } from 'ws'
import { headerText, type MadeBlock } from '../world/made-block.ts'
import type { MadeChain } from '../world/make-chain.ts'
import type { WalkingPool } from '../world/walking-pool.ts'
import { type Call, MULTICALL3 } from './aggregate3.ts'
import { callAnswerer } from './answer-call.ts'
import type { CodeCall } from './answer-scan.ts'
import { findLogs, type LogFilter } from './find-logs.ts'
import { NodeError } from './node-error.ts'

/** A node that serves a made chain up to its published head. */
export interface ChainNode {
  readonly httpUrl: string
  readonly wsUrl: string
  /** Makes the next block the head and tells those who subscribed. */
  publish(): MadeBlock
  close(): void
}

const FINALITY = 64

/** Serves a chain on a loopback port: JSON-RPC over HTTP, newHeads over WebSocket. `head` is the first head. */
export async function serveChain(chain: MadeChain, head: number, onRequest: () => void): Promise<ChainNode> {
  const node = new Answerer(chain, head)
  const server = createServer((request, response) => {
    onRequest()
    void respond(node, request, response)
  })
  const sockets = new WebSocketServer({ server })
  const subscribers = new Set<WebSocket>()
  sockets.on('connection', (socket) => {
    socket.on('close', () => subscribers.delete(socket))
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data)) as { id: unknown; method: string }
      const result = method === 'eth_subscribe' ? '0x1' : method === 'eth_chainId' ? node.chainId : null
      if (method === 'eth_subscribe') subscribers.add(socket)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    httpUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    publish: () => {
      const block = node.publish()
      const { number, hash, parentHash, timestamp } = block
      const result = { number: quantity(number), hash, parentHash, timestamp: quantity(timestamp) }
      const message = { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result } }
      for (const socket of subscribers) socket.send(JSON.stringify(message))
      return block
    },
    close: () => {
      sockets.close()
      for (const socket of subscribers) socket.terminate()
      server.close()
      server.closeAllConnections()
    },
  }
}

type Piece = Buffer | string

/** What a node says about a made chain. */
class Answerer {
  readonly chainId: Hex
  readonly #chain: MadeChain
  readonly #byHash: ReadonlyMap<Hex, MadeBlock>
  readonly #singleReceipts: ReadonlyMap<Hex, Buffer>
  readonly #call: ReturnType<typeof callAnswerer>
  #head: number

  constructor(chain: MadeChain, head: number) {
    this.chainId = quantity(chain.world.chainId)
    this.#chain = chain
    this.#byHash = new Map(chain.blocks.map((block) => [block.hash, block]))
    this.#singleReceipts = new Map(chain.blocks.flatMap(({ singleReceipts }) => [...singleReceipts]))
    this.#call = callAnswerer(chain.world)
    this.#head = head
  }

  publish(): MadeBlock {
    this.#head++
    return this.#blockAt(quantity(this.#head))
  }

  /** The result as pieces of JSON. @throws NodeError */
  answer(method: string, params: readonly unknown[]): readonly Piece[] {
    switch (method) {
      case 'eth_chainId':
        return [JSON.stringify(this.chainId)]
      case 'eth_blockNumber':
        return [JSON.stringify(quantity(this.#head))]
      case 'eth_getCode':
        return [params[0] === MULTICALL3 ? '"0x60"' : '"0x"']
      case 'eth_getBlockByNumber':
        return this.#block(this.#find(String(params[0])), params[1])
      case 'eth_getBlockByHash':
        return this.#block(this.#published(this.#byHash.get(params[0] as Hex)), params[1])
      case 'eth_getBlockReceipts':
        if (!this.#chain.blocks.some(({ receipts }) => receipts !== null)) break
        return [this.#find(String(params[0]))?.receipts ?? 'null']
      case 'eth_getTransactionReceipt':
        return [this.#singleReceipts.get(params[0] as Hex) ?? 'null']
      case 'eth_getLogs':
        return ['[', ...findLogs(this.#chain.blocks, this.#byHash, this.#head, params[0] as LogFilter), ']']
      case 'eth_call':
        return [this.#callResult(params[0] as Call | CodeCall, params[1])]
    }
    throw new NodeError(-32601, `the method ${method} does not exist/is not available`)
  }

  #block(block: MadeBlock | undefined, full: unknown): readonly Piece[] {
    return block === undefined ? ['null'] : [full === true ? block.full : headerText(block)]
  }

  #find(tag: string): MadeBlock | undefined {
    if (tag === 'latest') return this.#blockAt(quantity(this.#head))
    if (tag === 'finalized') return this.#blockAt(quantity(Math.max(0, this.#head - FINALITY)))
    return this.#published(this.#chain.blocks[Number(tag)])
  }

  #published(block: MadeBlock | undefined): MadeBlock | undefined {
    return block !== undefined && block.number <= this.#head ? block : undefined
  }

  #blockAt(tag: Hex): MadeBlock {
    const block = this.#chain.blocks[Number(tag)]
    if (block === undefined) throw new Error(`the chain ends before block ${Number(tag)}`)
    return block
  }

  #callResult(call: Call | CodeCall, at: unknown): string {
    const hash = typeof at === 'object' && at !== null && 'blockHash' in at ? (at.blockHash as Hex) : null
    const block = hash === null ? this.#find(String(at)) : this.#published(this.#byHash.get(hash))
    if (block === undefined) throw new NodeError(-32000, 'header not found')
    const result = this.#call(call, (pool) => this.#stateAt(pool, block.number))
    if (result === null) throw new NodeError(3, 'execution reverted')
    return JSON.stringify(result)
  }

  #stateAt(pool: WalkingPool, block: number): PoolState {
    const versions = this.#chain.states.get(pool.address) ?? []
    return versions.findLast((version) => version.block <= block)?.state ?? pool.state()
  }
}

async function respond(node: Answerer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const received: Buffer[] = []
  for await (const part of request) received.push(part as Buffer)
  const asked = JSON.parse(Buffer.concat(received).toString()) as RpcMessage | RpcMessage[]
  const pieces: Piece[] = []
  if (Array.isArray(asked)) {
    for (const message of asked) pieces.push(pieces.length === 0 ? '[' : ',', ...reply(node, message))
    pieces.push(']')
  } else pieces.push(...reply(node, asked))
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
  // Not put together first: what this process allocates, its garbage collector takes back while others are measured.
  response.cork()
  for (const piece of pieces) response.write(piece, 'latin1')
  response.uncork()
  response.end()
}

interface RpcMessage {
  id: unknown
  method: string
  params?: readonly unknown[]
}

function reply(node: Answerer, { id, method, params = [] }: RpcMessage): readonly Piece[] {
  const opening = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
  try {
    return [`${opening}"result":`, ...node.answer(method, params), '}']
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return [`${opening}"error":${JSON.stringify({ code: error.code, message: error.message })}}`]
  }
}

function quantity(number: number): Hex {
  return `0x${number.toString(16)}`
}
