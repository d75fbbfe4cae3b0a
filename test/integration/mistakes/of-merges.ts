import type { Mistake } from './mistake.ts'

const POD = 'spec.overrideSpec.template.spec'

/** Mistakes that appear only when the override is merged into its source. */
export const OF_MERGES: readonly Mistake[] = [
  {
    title: 'A null for what every pod has',
    isServerSide: true,
    override: 'template:\n  spec:\n    containers: null',
    paths: [`${POD}.containers`],
  },
  {
    title: 'A space in a label',
    override: 'template:\n  metadata:\n    labels: {version: "2.0 rc"}',
    paths: ['spec.overrideSpec.template.metadata.labels.version'],
  },
  {
    title: 'A label too long',
    override: `template:\n  metadata:\n    labels: {commit: ${'a'.repeat(64)}}`,
    paths: ['spec.overrideSpec.template.metadata.labels.commit'],
  },
  {
    title: 'A key of a label that is none',
    override: 'template:\n  metadata:\n    labels: {-version: a}',
    paths: ['spec.overrideSpec.template.metadata.labels["-version"]'],
  },
  {
    title: 'A key of an annotation with two slashes',
    override: 'template:\n  metadata:\n    annotations: {example.com/a/b: x}',
    paths: ['spec.overrideSpec.template.metadata.annotations["example.com/a/b"]'],
  },
  {
    title: 'A node that no label can name',
    override: 'template:\n  spec:\n    nodeSelector: {disk: "ssd, fast"}',
    paths: [`${POD}.nodeSelector.disk`],
  },
  {
    title: 'An affinity without what it requires',
    override:
      'template:\n  spec:\n    affinity:\n      nodeAffinity:\n        requiredDuringSchedulingIgnoredDuringExecution: {}',
    paths: [`${POD}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`],
  },
  {
    title: 'A new probe without its port, under Strategic',
    overrideType: 'Strategic',
    override: 'template:\n  spec:\n    containers:\n    - name: cart\n      livenessProbe: {httpGet: {path: /}}',
    paths: [`${POD}.containers[0].livenessProbe.httpGet.port`],
  },
]
