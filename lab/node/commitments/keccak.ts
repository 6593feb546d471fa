import { createKeccak } from 'hash-wasm'

/** Keccak-256 of some bytes. */
export type Keccak = (bytes: Uint8Array) => Uint8Array

/** In WebAssembly: a made week has more than a million headers. */
export async function loadKeccak(): Promise<Keccak> {
  const hasher = await createKeccak(256)
  return (bytes) => hasher.init().update(bytes).digest('binary')
}
