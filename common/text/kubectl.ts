interface Target {
  /** such as `expd/cart` */
  readonly name: string
  /** optional only because the type of objects has it so */
  readonly namespace?: string | undefined
}

/**
 * A command for a text: `kubectl annotate --overwrite expd/cart --namespace=shop KEY=VALUE`. It always names the
 * namespace: a copied command must not reach an object of the same name where its reader happens to be.
 */
export const kubectl = (verb: string, { name, namespace = '' }: Target, ...more: readonly string[]): string =>
  ['kubectl', verb, name, `--namespace=${namespace}`, ...more].join(' ')

/** The command by which a person sets the annotation `key` of the experiment with this name. */
export const annotateCommand = ({ name, namespace }: Target, key: string, value: string): string =>
  kubectl('annotate --overwrite', { name: `expd/${name}`, namespace }, `${key}=${value}`)
