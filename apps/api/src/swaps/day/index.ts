export { planList } from './list-state.ts'
export { NetworkRenderer } from './network-day.ts'
export { SegmentStore } from './segment-store.ts'
