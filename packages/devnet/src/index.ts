export type { DevnetChain } from './chain.ts'
export type {
  DevnetAccounts,
  DevnetContracts,
  DevnetPool,
  DevnetToken,
  UniswapV3Periphery,
} from './deployment/contracts.ts'
export type { DexConfigEntry } from './deployment/dex-config.ts'
export { deployHostileToken, type HostileAnswer, type HostileToken } from './deployment/hostile-token.ts'
export { type Devnet, type DevnetLog, type DevnetOptions, startDevnet } from './devnet.ts'
export type { BlockSummary } from './history.ts'
export { type ScriptedBlock, type ScriptedChain, scriptedChain } from './hostile-node/chain/scripted-chain.ts'
export { type ScriptedMarket, scriptedMarket } from './hostile-node/chain/scripted-market.ts'
export {
  type FaultSchedule,
  type SeededFaultSchedule,
  seededFaultSchedule,
  shuffled,
} from './hostile-node/fault-schedule.ts'
export { FAULT_NAMES, FAULTS, type Fault, NOTICED_AT_ONCE } from './hostile-node/faults.ts'
export { type HostileNode, startHostileNode } from './hostile-node/hostile-node.ts'
export { type Anvil, type AnvilOptions, startAnvil } from './node/anvil.ts'
export { openRpc, type Rpc, type RpcCall, RpcError } from './node/rpc.ts'
export { createRandom, type Random } from './random.ts'
