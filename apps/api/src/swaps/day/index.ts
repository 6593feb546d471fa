export { CellStore } from './cell-store.ts'
export { NetworkRenderer } from './network-renderer.ts'
