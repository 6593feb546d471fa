import type { BlockHeader, ReferenceBook } from '@dexfeed/dex'

type ReadBook = (head: BlockHeader, finalNumber: number) => Promise<ReferenceBook>

/** Keeps the reference pools' state at the head, which moves and rolls back with the commits. */
export class HeadReferences {
  readonly #read: ReadBook
  readonly #version: () => number
  /** The book after the committed block, then the book after the last attempted commit. */
  #kept: { head: BlockHeader; book: ReferenceBook }[] = []
  /** The version when the books were read, or an earlier one. */
  #keptVersion = 0

  constructor(read: ReadBook, version: () => number = () => 0) {
    this.#read = read
    this.#version = version
  }

  /** Returns the book after the committed head. Copy it before recording blocks in it. */
  async after(head: BlockHeader, finalNumber: number): Promise<ReferenceBook> {
    const kept = this.#settle(head)
    if (kept !== null) return kept
    const version = this.#version()
    const book = await this.#read(head, finalNumber)
    this.#keptVersion = version
    this.#kept = [{ head, book }]
    return book
  }

  /** Returns the book before a committed block, or null if that block is final. */
  async before(number: number, head: BlockHeader, finalNumber: number): Promise<ReferenceBook | null> {
    const book = (await this.after(head, finalNumber)).copy()
    return book.rollBack(number - 1) ? book : null
  }

  async afterRollback(head: BlockHeader, ancestor: BlockHeader, finalNumber: number): Promise<ReferenceBook> {
    const book = this.#settle(head)?.copy()
    return book?.rollBack(ancestor.number) === true ? book : this.#read(ancestor, finalNumber)
  }

  noteAttempt(head: BlockHeader, book: ReferenceBook, finalNumber: number): void {
    book.rememberSince(Math.min(finalNumber, head.number))
    this.#kept = [...this.#kept.slice(0, 1), { head, book }]
  }

  forget(): void {
    this.#kept = []
  }

  #settle({ hash }: BlockHeader): ReferenceBook | null {
    const isWhole = this.#keptVersion === this.#version()
    this.#kept = isWhole ? this.#kept.filter(({ head }) => head.hash === hash) : []
    return this.#kept[0]?.book ?? null
  }
}
