export { planList } from './list/list-plan.ts'
export { NetworkRenderer } from './network-day.ts'
export { SegmentStore } from './segment-store.ts'
