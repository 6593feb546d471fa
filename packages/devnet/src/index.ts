export type { DevnetChain } from './chain.ts'
export type { DevnetToken } from './deployment/contracts.ts'
export { deployHostileToken, type HostileAnswer, type HostileToken } from './deployment/hostile-token.ts'
export { type Devnet, type DevnetOptions, startDevnet } from './devnet.ts'
export type { Crowd } from './hostile-node/chain/block-bloom.ts'
export { type ScriptedBlock, type ScriptedChain, scriptedChain } from './hostile-node/chain/scripted-chain.ts'
export { PRECOMPILED_TOKEN, scriptedMarket } from './hostile-node/chain/scripted-market.ts'
export { type SeededFaultSchedule, seededFaultSchedule, shuffled } from './hostile-node/fault-schedule.ts'
export {
  CONCERNS,
  FAULT_NAMES,
  FAULTS,
  type Fault,
  faultsAt,
  NOTICED_AT_ONCE,
  PROVABLY_FALSE,
} from './hostile-node/faults.ts'
export { type HostileNode, startHostileNode } from './hostile-node/hostile-node.ts'
export { type HostilePortal, type PortalFault, startHostilePortal } from './hostile-node/hostile-portal.ts'
export type { Proofs } from './hostile-node/show-block.ts'
export { startAnvil } from './node/anvil.ts'
export { openRpc, type Rpc } from './node/rpc.ts'
export { createRandom, type Random } from './random.ts'
