/** An optional part of an installation: a component for kustomize, and a value of the chart. */
export interface ManifestComponent {
  /** its folder in manifests/ */
  readonly folder: string
  /** by which both programs know that it is there; absent: they need not know */
  readonly variable?: string
  /** the folder of a component without which neither program starts */
  readonly needs?: string
  /** the path of its value in the chart */
  readonly value: string
  /** whether manifests/default has it */
  readonly isDefault?: true
}

/** Every component, in an order in which they can be listed. What one changes does not depend on the others. */
export const COMPONENTS: readonly ManifestComponent[] = [
  { folder: 'analysis', variable: 'ANALYSIS', value: 'components.analysis', isDefault: true },
  { folder: 'gate', variable: 'GATE', value: 'components.gate' },
  { folder: 'cut-over', variable: 'CUT_OVER', needs: 'gate', value: 'components.cutOver' },
  { folder: 'promotion', variable: 'PROMOTION', value: 'components.promotion' },
  { folder: 'openshift', value: 'openshift' },
]

/** The other folders of manifests/, and what they are for. */
export const OTHER_FOLDERS: Readonly<Record<string, string>> = {
  base: 'what every installation has',
  default: 'an installation: the base, certificates by cert-manager, analyses',
  'cert-manager': 'certificates; the value certificates.mode of the chart',
  'script-certs': 'certificates; the value certificates.mode of the chart',
  namespaced: 'the scope of an installation; the value watchNamespace of the chart',
  beside: 'several installations: objects without a namespace have other names, which the chart does not change yet',
  'path-secret': 'a secret in the path beside cert-manager, which a chart would have to make and keep',
  pack: 'objects of their own; the value pack.enabled of the chart',
  monitoring: 'objects of their own; the value monitoring.enabled of the chart',
  policies: 'objects of our kinds: a release with an object of its own CRD fails at the first install',
  'analysis-templates': 'objects of our kinds: a release with an object of its own CRD fails at the first install',
  'lease-priority': 'an option for very busy clusters, applied by itself',
  chart: 'makes the chart of the other folders',
}
