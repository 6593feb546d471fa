import { type Address, DAY_S, type Hex, HOUR_S, NETWORK_NAMES, NETWORKS, type NetworkName, SECOND } from '@dexfeed/dex'
import { JsonRpcProvider } from 'ethers'
import { type BotContext, createReferencePrices, tokenNow } from './bots/bot-context.ts'
import { createTraderBots } from './bots/trader-bots.ts'
import {
  type BlockSummary,
  type ChainArchive,
  type ChainRecord,
  historyTimes,
  summarizeBlocks,
} from './chain-archive.ts'
import type { Artifacts, DevnetAccounts, DevnetContracts } from './deployment/contracts.ts'
import { deployNetwork } from './deployment/deploy-network.ts'
import { type DexConfigEntry, dexConfigEntry } from './deployment/dex-config.ts'
import { sqrtPrice, toX96 } from './deployment/liquidity.ts'
import { networkPlan } from './deployment/network-plan.ts'
import { type Anvil, startAnvil } from './node/anvil.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { type DevTransaction, openSession, type Session } from './node/session.ts'
import { createRandom, type Random } from './random.ts'

/** Time from a chain's genesis to its history, for the setup. */
const SETUP_S = 2 * HOUR_S
const SETUP_BLOCK_S = 12
const TRADERS = 60
const TRADERS_PER_NETWORK = 30
/** Offset between the traders of consecutive networks, so that some trade on several. */
const TRADER_OFFSET = 20

export interface ChainOptions {
  network: NetworkName
  artifacts: Artifacts
  host: string
  port: number
  /** Time of the history's last block, in seconds since 1970. */
  now: number
  historyDays: number
  historyBlocks: number
  seed: number
  archive: ChainArchive | null
  signal: AbortSignal
}

export interface DevnetChain {
  network: NetworkName
  chainId: number
  rpcUrl: string
  wsUrl: string
  pid: number
  deployment: DexConfigEntry
  contracts: DevnetContracts
  accounts: DevnetAccounts
  history: BlockSummary
  rpc: Rpc
  provider: JsonRpcProvider
  /** Mines blocks with a few bot transactions immediately. Do not call it while another caller sends transactions. */
  trade(blocks?: number): Promise<void>
}

export interface OwnedChain {
  chain: DevnetChain
  died: Promise<string>
  save(): Promise<void>
  stop(): Promise<void>
}

interface Life {
  record: ChainRecord
  actor: Actor
}

export async function startChain(options: ChainOptions): Promise<OwnedChain> {
  const { network, now, historyDays, host, port, archive } = options
  const kept = (await archive?.read()) ?? null
  const genesisTime = kept?.genesisTime ?? now - historyDays * DAY_S - SETUP_S
  const stateFile = kept && archive ? await archive.unpackState() : null
  const { chainId } = NETWORKS[network]
  const anvil = await startAnvil({ chainId, genesisTime, accounts: TRADERS + 2, host, port, stateFile })
  try {
    await archive?.forget()
    options.signal.throwIfAborted()
    const life = await (kept ? goOn(options, anvil, kept) : populate(options, anvil, genesisTime))
    const owned = own(options, anvil, life)
    if (!kept) await owned.save()
    return owned
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

async function populate(options: ChainOptions, anvil: Anvil, genesisTime: number): Promise<Life> {
  const { network, artifacts, signal, now } = options
  const plan = networkPlan(network)
  const rpc = openRpc(anvil.url)
  const session = openSession(rpc)
  const accounts = assignAccounts(network, await rpc.send<Hex[]>('eth_accounts', []))
  let setupTime = genesisTime
  const nextTime = () => {
    signal.throwIfAborted()
    setupTime += SETUP_BLOCK_S
    return setupTime
  }
  const contracts = await deployNetwork({ rpc, session, artifacts, plan, accounts, nextTime })
  const actor = createActor({ ...options, rpc, session, contracts, accounts, seed: options.seed * 31 })

  const firstBlock = (await latestBlock(rpc)).number + 1
  const times = historyTimes(setupTime + HOUR_S, now, options.historyBlocks, actor.random)
  await liveThrough(actor, times, setupTime, signal)
  const lastBlock = firstBlock + options.historyBlocks - 1
  // Include the setup: otherwise only a pool's first trade would show that it lacks liquidity.
  const history = await summarizeBlocks(rpc, 1, lastBlock, session.mayRevert)
  return { actor, record: { genesisTime, contracts, accounts, history: { ...history, fromBlock: firstBlock } } }
}

/** Reference prices restart at their initial values; the price keeper then moves the pools to them. */
async function goOn(options: ChainOptions, anvil: Anvil, record: ChainRecord): Promise<Life> {
  const { contracts, accounts } = record
  const rpc = openRpc(anvil.url)
  const session = openSession(rpc)
  await session.resync([accounts.deployer, accounts.keeper, ...accounts.traders])
  // Not the seed of the history, so that the trades differ.
  const seed = options.seed * 31 + (await latestBlock(rpc)).number
  return { record, actor: createActor({ ...options, rpc, session, contracts, accounts, seed }) }
}

function own({ network, archive }: ChainOptions, anvil: Anvil, { record, actor }: Life): OwnedChain {
  const { chainId } = NETWORKS[network]
  const { contracts, accounts, history } = record
  const { rpc } = actor
  const provider = new JsonRpcProvider(anvil.url, chainId, { staticNetwork: true })
  const chain: DevnetChain = {
    network,
    chainId,
    rpcUrl: anvil.url,
    wsUrl: anvil.wsUrl,
    pid: anvil.pid,
    deployment: dexConfigEntry(networkPlan(network), contracts),
    contracts,
    accounts,
    history,
    rpc,
    provider,
    trade: createTrade(actor),
  }
  const stop = async () => {
    provider.destroy()
    await anvil.stop()
  }
  return { chain, died: anvil.died, save: async () => archive?.write(record, rpc), stop }
}

interface Actor {
  rpc: Rpc
  session: Session
  random: Random
  act(): DevTransaction
  keep(): DevTransaction
  advance(seconds: number): void
}

function createActor(context: {
  network: NetworkName
  artifacts: Artifacts
  rpc: Rpc
  session: Session
  contracts: DevnetContracts
  accounts: DevnetAccounts
  seed: number
}): Actor {
  const { network, artifacts, rpc, session, contracts, accounts, seed } = context
  const random = createRandom(seed + traderOffset(network))
  const prices = createReferencePrices(contracts.tokens, random)
  const bots = { contracts, artifacts, accounts, random, prices }
  const act = createTraderBots(bots)
  const keep = createPriceKeeper(bots)
  return { rpc, session, random, act, keep, advance: prices.advance }
}

async function liveThrough(actor: Actor, times: readonly number[], from: number, signal: AbortSignal): Promise<void> {
  let last = from
  for (const time of times) {
    signal.throwIfAborted()
    actor.advance(time - last)
    last = time
    queueBlock(actor, 3 + actor.random.integer(5))
    await actor.session.mine(time)
  }
}

function queueBlock({ session, act, keep }: Actor, transactions: number): void {
  for (let index = 0; index < transactions; index++) session.queue(act())
  session.queue(keep())
}

function createTrade(actor: Actor): DevnetChain['trade'] {
  let last: Promise<void> = Promise.resolve()
  const mineBlocks = async (blocks: number) => {
    for (let index = 0; index < blocks; index++) {
      const { timestamp } = await latestBlock(actor.rpc)
      const time = Math.max(Math.floor(Date.now() / SECOND), timestamp + 1)
      // A rollback since the last call may have changed nonces.
      await actor.session.resync()
      actor.advance(time - timestamp)
      queueBlock(actor, 1 + actor.random.integer(4))
      await actor.session.mine(time)
    }
  }
  return (blocks = 1) => {
    const turn = last.then(() => mineBlocks(blocks))
    last = turn.catch(() => undefined)
    return turn
  }
}

async function latestBlock(rpc: Rpc): Promise<{ number: number; timestamp: number }> {
  const block = await rpc.send<{ number: Hex; timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  return { number: Number(block.number), timestamp: Number(block.timestamp) }
}

function assignAccounts(network: NetworkName, unlocked: readonly Hex[]): DevnetAccounts {
  const [deployer, keeper, ...everybody] = unlocked.map((address) => address.toLowerCase() as Address)
  if (!deployer || !keeper || everybody.length < TRADERS) throw new Error('the node has too few accounts')
  const traders = Array.from({ length: TRADERS_PER_NETWORK }, (_, index) => {
    const trader = everybody[(traderOffset(network) + index) % TRADERS]
    if (!trader) throw new RangeError('no such trader')
    return trader
  })
  return { deployer, keeper, traders }
}

function traderOffset(network: NetworkName): number {
  return TRADER_OFFSET * NETWORK_NAMES.indexOf(network)
}

function createPriceKeeper(context: BotContext): () => DevTransaction {
  const { contracts, artifacts, accounts } = context
  return () => {
    const targets = contracts.pools.map(({ token0, token1 }) =>
      toX96(sqrtPrice(tokenNow(context, token0), tokenNow(context, token1))),
    )
    const data = artifacts.priceKeeper.abi.encodeFunctionData('rebalance', [targets]) as Hex
    return { from: accounts.keeper, to: contracts.priceKeeper, data }
  }
}
