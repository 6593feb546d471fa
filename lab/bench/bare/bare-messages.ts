export interface BareResponse {
  /** With its query. */
  path: string
  body: string
  headers: Record<string, string>
}

export type BareMessage = { kind: 'listening'; url: string } | { kind: 'ready' }
