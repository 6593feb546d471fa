import { createKeccak } from 'hash-wasm'

/** Returns the Keccak-256 hash of bytes. */
export type Keccak = (bytes: Uint8Array) => Uint8Array

/** Loads the hash in WebAssembly: a made week has more than a million headers. */
export async function loadKeccak(): Promise<Keccak> {
  const hasher = await createKeccak(256)
  return (bytes) => hasher.init().update(bytes).digest('binary')
}
