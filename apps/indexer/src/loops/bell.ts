/** Tells those who listen that something happened. */
export class Bell {
  readonly #listeners = new Set<() => void>()

  tell(): void {
    for (const listener of this.#listeners) listener()
  }

  /** @returns stops listening */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }
}
