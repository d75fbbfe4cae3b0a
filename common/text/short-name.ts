/** The name that `kubectl` takes and prints: `deployment/cart`. */
export const shortName = ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
  `${kind.toLowerCase()}/${name}`

interface Named {
  readonly kind: string
  readonly metadata: { readonly name: string }
}

/** The short name of an object, as `shortName`. */
export const shortNameOf = ({ kind, metadata: { name } }: Named): string => shortName({ kind, name })
