/** Manifests of Deployments as people keep them. */
import type { KubeObject } from '../../common/api/object.ts'

/** Of a source with 5 pods, without a Service. */
export const manifestOf = (name: string): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 5,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] },
      },
    },
  })

/** Of what the cluster has, without what only the API server writes. */
export const backupOf = ({ apiVersion, kind, metadata, ...of }: KubeObject): string => {
  const { name, labels, annotations } = metadata
  return JSON.stringify({ apiVersion, kind, metadata: { name, labels, annotations }, spec: of.spec })
}

/** An HPA of the Deployment of its name. It has no metrics, so it gives that Deployment at least `least` pods. */
export const hpaOf = (name: string, least: number) => ({
  metadata: { name },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    minReplicas: least,
    maxReplicas: 10,
  },
})
