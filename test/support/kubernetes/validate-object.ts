// Whether Kubernetes knows an object in this form: by the schemas of its own API and of the Prometheus Operator's.
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, PersistentVolumeClaim, Secret, Service } from 'kubernetes-models/v1'

const MODELS = {
  ConfigMap,
  Deployment,
  Ingress,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceMonitor,
}

/** Throws what is wrong with an object: a type, a missing field, a version. Fields that no schema names pass. */
export function validateObject(object: { kind: string }): void {
  const Model = MODELS[object.kind as keyof typeof MODELS] as
    | (new (data: never) => { validate: () => void })
    | undefined
  if (Model === undefined) throw new Error(`${object.kind} is none of the kinds that are checked`)
  new Model(object as never).validate()
}
