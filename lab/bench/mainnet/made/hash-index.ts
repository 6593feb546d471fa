const HASH_BYTES = 32
/** Slots for each hash, so that few share one. */
const SPARSE = 2

/** Finds the place of a hash in a list of hashes, which lie one after the other. */
export class HashIndex {
  readonly #hashes: Buffer
  /** Places, counted from 1; 0: free. */
  readonly #slots: Uint32Array

  /** @param room how many hashes there may be */
  constructor(hashes: Buffer, room: number) {
    this.#hashes = hashes
    this.#slots = new Uint32Array(SPARSE * room + 1)
  }

  /** Adds the hash at a place. */
  add(place: number): void {
    let slot = this.#firstSlot(this.#at(place))
    while (this.#slots[slot] !== 0) slot = (slot + 1) % this.#slots.length
    this.#slots[slot] = place + 1
  }

  /** Returns a hash's place; null: it was not added. */
  find(hash: Buffer): number | null {
    if (hash.length !== HASH_BYTES) return null
    let slot = this.#firstSlot(hash)
    for (let place = this.#slots[slot] ?? 0; place !== 0; place = this.#slots[slot] ?? 0) {
      if (this.#at(place - 1).equals(hash)) return place - 1
      slot = (slot + 1) % this.#slots.length
    }
    return null
  }

  #at(place: number): Buffer {
    return this.#hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)
  }

  #firstSlot(hash: Buffer): number {
    return hash.readUInt32BE(0) % this.#slots.length
  }
}
