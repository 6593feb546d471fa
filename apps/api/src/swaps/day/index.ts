export { selectedRows } from './list.ts'
export { NetworkRenderer } from './network-renderer.ts'
export { RowStore } from './row-store.ts'
