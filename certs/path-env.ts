/** The file with the secrets in the path of a call, for installations whose webhook configurations come from files. */
type PathEnv = Readonly<Partial<Record<'current' | 'next' | 'previous', string>>>

interface PathEnvOptions {
  readonly wantsNewPath: boolean
  readonly newSecret: () => string
}

/**
 * The text of the file after one more run: the first secret; a `next` one beside it; the `next` one in its place;
 * without the `previous` one. The webhook accepts all of them, and the API server uses `current`. So the file must be
 * applied after each run, and every pod must have it before the next run.
 */
export function nextPathEnv(text: string, { wantsNewPath, newSecret }: PathEnvOptions) {
  const { current, next } = pathEnvOf(text)
  if (current === undefined) return result('path secret created', { current: newSecret() })
  if (next !== undefined) return result('path secret replaced', { current: next, previous: current })
  if (wantsNewPath) return result('path secret added beside the old one', { current, next: newSecret() })
  return result('path secret kept', { current })
}

const result = (what: string, env: PathEnv) => ({
  what,
  text: Object.entries(env)
    .map(([key, secret]) => `${key}=${secret}\n`)
    .join(''),
})

const pathEnvOf = (text: string): PathEnv =>
  Object.fromEntries(
    [...text.matchAll(/^(current|next|previous)=(\S+)$/gm)].map(([, key = '', secret]) => [key, secret]),
  )
