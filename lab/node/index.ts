export type { Crowd } from './hostile/chain/commit-block.ts'
export { type ScriptedBlock, type ScriptedChain, scriptedChain } from './hostile/chain/scripted-chain.ts'
export { PRECOMPILED_TOKEN, scriptedMarket } from './hostile/chain/scripted-market.ts'
export { type SeededFaultSchedule, seededFaultSchedule, shuffled } from './hostile/fault-schedule.ts'
export {
  FAULT_NAMES,
  FAULTS,
  type Fault,
  faultsAt,
  isMetBy,
  NOTICED_IMMEDIATELY,
} from './hostile/faults.ts'
export { type HostileNode, startHostileNode } from './hostile/hostile-node.ts'
export { type HostilePortal, type PortalFault, startHostilePortal } from './hostile/hostile-portal.ts'
export type { Proofs } from './hostile/show-block.ts'
