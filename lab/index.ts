export type { Crowd } from './chain/scripted/commit-block.ts'
export { type ScriptedBlock, type ScriptedChain, scriptedChain } from './chain/scripted/scripted-chain.ts'
export { PRECOMPILED_TOKEN, scriptedMarket } from './chain/scripted/scripted-market.ts'
export { type SeededFaultSchedule, seededFaultSchedule, shuffled } from './node/hostile/fault-schedule.ts'
export {
  FAULT_NAMES,
  FAULTS,
  type Fault,
  faultsAt,
  isMetBy,
  NOTICED_IMMEDIATELY,
} from './node/hostile/faults.ts'
export { type HostileNode, startHostileNode } from './node/hostile/hostile-node.ts'
export { type HostilePortal, type PortalFault, startHostilePortal } from './node/hostile/hostile-portal.ts'
export type { Proofs } from './node/hostile/show-block.ts'
