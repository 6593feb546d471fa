import type { Random } from '@dexfeed/devnet'
import type { WebSocket } from 'ws'
import { quantity } from '../../chain/abi.ts'
import type { ScriptedChain } from '../../chain/scripted/scripted-chain.ts'
import { bodyOf, type RpcMessage, sendJson, serveRpc } from '../rpc/serve.ts'
import type { FaultSchedule } from './fault-schedule.ts'
import { AHEAD, FAULTS, type Fault, resultUnder, subjectOf } from './faults.ts'
import { type ScriptedView, scriptedView } from './scripted-view.ts'
import type { Proofs } from './show-block.ts'

export interface HostileNodeOptions {
  chain: ScriptedChain
  /** Default: the chain itself. */
  wrongChain?: ScriptedChain | undefined
  schedule: FaultSchedule
  endpoint: number
  random: Random
  proofs?: Proofs
}

export interface HostileNode {
  readonly url: string
  readonly wsUrl: string
  announce(): void
  stop(): Promise<void>
}

export async function startHostileNode(options: HostileNodeOptions): Promise<HostileNode> {
  const { schedule, endpoint, random } = options
  let isWrong = false
  const server = await serveRpc({
    onRequest(messages, isBatch, response) {
      const subjects = messages.map(subjectOf).filter((subject) => isServed(subject, options))
      const fault = schedule.at(endpoint, subjects)
      // In reality, a new process would serve the other chain, over new connections.
      if (isWrong !== (fault === 'wrong-chain')) {
        isWrong = !isWrong
        server.dropConnections()
        return
      }
      const view = viewUnder(fault, options)
      const pieces = bodyOf(messages, isBatch, (message) => [
        JSON.stringify(resultUnder(fault, view, message, random) ?? null),
      ])
      const exchange = fault === null ? undefined : FAULTS[fault].exchange
      if (exchange === undefined || exchange({ messages, text: pieces.join(''), response }) === false) {
        sendJson(response, pieces)
      }
    },
    onMessage: (message) => socketReply(options, message),
  })
  return {
    url: server.url,
    wsUrl: server.wsUrl,
    announce: () => {
      for (const socket of server.sockets) sendHead(options, socket)
    },
    stop: server.close,
  }
}

/** A node without eth_getBlockReceipts cannot have the faults of that method. */
function isServed(subject: string, { proofs }: HostileNodeOptions): boolean {
  return subject !== 'eth_getBlockReceipts' || proofs === 'block-receipts'
}

function viewUnder(fault: Fault | null, options: HostileNodeOptions): ScriptedView {
  const { wrongChain = options.chain, endpoint, proofs = 'none' } = options
  const chain = fault === 'wrong-chain' || fault === 'wrong-chain-stays' ? wrongChain : options.chain
  const { blocks, market } = chain
  const finalized = Math.max(0, blocks.length - 1 - market.deployment.finalityDepth)
  const view = scriptedView({ chain, blocks, finalized, showsStateSync: endpoint === 0, proofs })
  return (fault === null ? undefined : FAULTS[fault].view?.(view)) ?? view
}

const SUBSCRIPTION = '0x5eed'

function socketReply({ schedule, endpoint, chain }: HostileNodeOptions, { id, method }: RpcMessage): string {
  const fault = method === 'eth_subscribe' ? schedule.at(endpoint, [method]) : null
  if (method === 'eth_chainId') return JSON.stringify({ jsonrpc: '2.0', id, result: quantity(chain.chainId) })
  if (fault === 'socket-refuses') {
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'notifications not supported' } })
  }
  return JSON.stringify({ jsonrpc: '2.0', id, result: fault === 'socket-mute' ? '0xother' : SUBSCRIPTION })
}

function sendHead({ schedule, endpoint, chain }: HostileNodeOptions, socket: WebSocket): void {
  const fault = schedule.at(endpoint, ['newHeads'])
  if (fault === 'socket-mute') return
  // For `socket-refuses`, the client must first lose its subscription.
  if (fault === 'socket-closes' || fault === 'socket-refuses') {
    socket.terminate()
    return
  }
  const { number = 0, hash, parentHash, timestamp = 0 } = chain.blocks.at(-1) ?? {}
  const reported = fault === 'socket-ahead' ? { number: number + AHEAD, hash: parentHash } : { number, hash }
  const result = { ...reported, number: quantity(reported.number), parentHash, timestamp: quantity(timestamp) }
  const message = JSON.stringify({
    jsonrpc: '2.0',
    method: 'eth_subscription',
    params: { subscription: SUBSCRIPTION, result },
  })
  socket.send(message)
  if (fault === 'socket-repeats') socket.send(message)
}
