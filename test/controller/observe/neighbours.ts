import { IS_EXPERIMENT } from '../../../common/api/names.ts'

/** An object of each kind of neighbour, and the warning that tells of it. */
export const NEIGHBOURS = {
  HorizontalPodAutoscaler: {
    path: '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/cart',
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'cart' }, minReplicas: 1, maxReplicas: 9 },
    reason: 'CountedByHPA',
  },
  PodDisruptionBudget: {
    path: '/apis/policy/v1/namespaces/shop/poddisruptionbudgets/cart',
    spec: { selector: { matchLabels: { app: 'cart' } } },
    reason: 'CountedByPDB',
  },
  NetworkPolicy: {
    path: '/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/cart',
    spec: { podSelector: { matchExpressions: [{ key: IS_EXPERIMENT, operator: 'Exists' }] } },
    reason: 'JoinsNetworkPolicy',
  },
} as const
