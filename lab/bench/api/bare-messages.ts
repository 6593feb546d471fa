/** What the bare server is to answer. */
export interface BareAnswer {
  /** With its query. */
  path: string
  body: string
  headers: Record<string, string>
}

export type BareMessage = { kind: 'listening'; url: string } | { kind: 'told' }
