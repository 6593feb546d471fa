import { createKeccak } from 'hash-wasm'

export type Keccak = (bytes: Uint8Array) => Uint8Array

/** Uses WebAssembly, because a made week has over a million headers to hash. */
export async function loadKeccak(): Promise<Keccak> {
  const hasher = await createKeccak(256)
  return (bytes) => hasher.init().update(bytes).digest('binary')
}
