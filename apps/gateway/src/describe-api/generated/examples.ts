// Written by `RECORD_EXAMPLES=true npm test -- apps/gateway/src/testing/answers`.
import type { Examples } from '../examples.js';

export const EXAMPLES: Examples = {
  "acceptMembership": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000002"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000017",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "sub": "invited-1",
        "email": null,
        "role": "analyst",
        "membership": "accepted",
        "version": 2,
        "created_at": "2026-11-25T19:41:30.323Z",
        "updated_at": "2026-11-25T19:41:30.414Z"
      }
    }
  },
  "assignSession": {
    "body": {
      "session_id": "00000000-0000-4000-8000-000000000058"
    },
    "answers": {
      "200": {
        "assignments": [
          {
            "assignment_id": "00000000-0000-4000-8000-000000000055",
            "experiment_id": "00000000-0000-4000-8000-000000000056",
            "variant": "control",
            "campaign_ids": [
              "00000000-0000-4000-8000-000000000057"
            ],
            "assigned_at": "2026-11-25T19:41:49.421Z"
          }
        ]
      },
      "201": {
        "assignments": [
          {
            "assignment_id": "00000000-0000-4000-8000-000000000059",
            "experiment_id": "00000000-0000-4000-8000-000000000056",
            "variant": "control",
            "campaign_ids": [
              "00000000-0000-4000-8000-000000000057"
            ],
            "assigned_at": "2026-11-25T19:41:51.700Z"
          }
        ]
      }
    }
  },
  "beginVerifyChain": {
    "body": {
      "website_id": "00000000-0000-4000-8000-000000000031"
    },
    "answers": {
      "202": {
        "job_id": "00000000-0000-4000-8000-000000000045"
      }
    }
  },
  "cancelJob": {
    "path": {
      "job_id": "00000000-0000-4000-8000-000000000076"
    },
    "answers": {
      "200": {
        "job_id": "00000000-0000-4000-8000-000000000076",
        "type": "settlements.pull",
        "state": "cancelled",
        "total": 0,
        "done": 0,
        "stored": 0,
        "failed": 0,
        "created_at": "2026-11-25T19:41:59.942Z",
        "finished_at": "2026-11-25T19:42:00.182Z",
        "site_id": "00000000-0000-4000-8000-000000000074",
        "started_by": "worker",
        "cancellable": false,
        "errors": []
      }
    }
  },
  "countEligibleSessions": {
    "query": {
      "site_id": "00000000-0000-4000-8000-000000000077"
    },
    "answers": {
      "200": {
        "site_id": "00000000-0000-4000-8000-000000000077",
        "timezone": "UTC",
        "as_of": "2026-11-25T19:42:00.175Z",
        "days": [
          {
            "date": "2026-10-28",
            "sessions": 0
          },
          {
            "date": "2026-10-29",
            "sessions": 0
          }
        ],
        "mean_per_day": null,
        "reason": "There is no whole day since the first touch of the site."
      }
    }
  },
  "createApiKey": {
    "path": {
      "site_id": "00000000-0000-4000-8000-000000000001"
    },
    "body": {
      "name": "Backend",
      "scopes": [
        "events:write"
      ]
    },
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000012",
        "version": 1,
        "created_at": "2026-11-25T19:41:25.303Z",
        "updated_at": "2026-11-25T19:41:25.303Z",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "name": "Backend",
        "scopes": [
          "events:write"
        ],
        "hourly_limit": 1000,
        "expires_at": null,
        "prefix": "psp9tis4",
        "revoked_at": null,
        "last_used_at": null,
        "key": "ck_abcdefgh_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      }
    }
  },
  "createCampaign": {
    "body": {
      "type": "overlay",
      "name": "Welcome",
      "content": {
        "layout": "modal",
        "title": "Hello"
      },
      "site_id": "00000000-0000-4000-8000-000000000001",
      "schedule": {
        "from": "2026-01-01T00:00:00Z"
      },
      "targeting": {
        "languages": [
          "de"
        ],
        "device_types": [
          "mobile"
        ]
      }
    },
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000003",
        "version": 1,
        "created_at": "2026-11-25T19:41:15.078Z",
        "updated_at": "2026-11-25T19:41:15.078Z",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "type": "overlay",
        "name": "Welcome",
        "status": "draft",
        "schedule": {
          "from": "2026-01-01T00:00:00.000Z"
        },
        "targeting": {
          "languages": [
            "de"
          ],
          "device_types": [
            "mobile"
          ]
        },
        "content": {
          "layout": "modal",
          "title": "Hello"
        }
      }
    }
  },
  "createCommissionRule": {
    "body": {
      "website_id": "00000000-0000-4000-8000-000000000031",
      "provider": "awin",
      "effective_from": "2025-01-01T00:00:00Z",
      "type": "percentage",
      "rate": "0.05"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000036",
        "provider": "awin",
        "partner_id": null,
        "type": "percentage",
        "rate": "0.05",
        "effective_from": "2025-01-01T00:00:00.000Z",
        "created_at": "2026-11-25T19:41:40.337Z",
        "website_id": "00000000-0000-4000-8000-000000000031",
        "amount": null,
        "currency": null
      },
      "201": {
        "id": "00000000-0000-4000-8000-000000000036",
        "provider": "awin",
        "partner_id": null,
        "type": "percentage",
        "rate": "0.05",
        "effective_from": "2025-01-01T00:00:00.000Z",
        "created_at": "2026-11-25T19:41:40.337Z",
        "website_id": "00000000-0000-4000-8000-000000000031",
        "amount": null,
        "currency": null
      }
    }
  },
  "createExperiment": {
    "body": {
      "site_id": "00000000-0000-4000-8000-000000000052",
      "name": "Welcome banner",
      "surface": "overlay",
      "campaign_ids": [
        "00000000-0000-4000-8000-000000000053"
      ],
      "minimum_detectable_effect": 0.2,
      "baseline_rate": 0.1,
      "eligibility": {
        "providers": [
          "awin"
        ]
      }
    },
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000050",
        "version": 1,
        "created_at": "2026-11-25T23:25:30.058Z",
        "updated_at": "2026-11-25T23:25:30.058Z",
        "workspace_id": "00000000-0000-4000-8000-000000000051",
        "site_id": "00000000-0000-4000-8000-000000000052",
        "name": "Welcome banner",
        "hypothesis": null,
        "surface": "overlay",
        "campaign_ids": [
          "00000000-0000-4000-8000-000000000053"
        ],
        "eligibility": {
          "providers": [
            "awin"
          ],
          "partner_ids": []
        },
        "traffic": 1,
        "allocation": {
          "control": 0.5,
          "treatment": 0.5
        },
        "primary_metric": "conversion",
        "alpha": 0.05,
        "power": 0.8,
        "minimum_detectable_effect": 0.2,
        "baseline_rate": 0.1,
        "attribution_window_days": 7,
        "exclusions": {
          "sessions_per_network": null
        },
        "state": "draft",
        "salt": "4728565d32aad9dbb0a352db9e3a952a",
        "started_at": null,
        "stopped_at": null
      }
    }
  },
  "createIntegration": {
    "body": {
      "site_id": "00000000-0000-4000-8000-000000000001",
      "provider": "cj",
      "credentials": {
        "publisher_id": "1",
        "api_token": "token"
      }
    },
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000006",
        "version": 1,
        "created_at": "2026-11-25T19:41:18.629Z",
        "updated_at": "2026-11-25T19:41:18.629Z",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "provider": "cj",
        "base_url": null,
        "status": "pending",
        "last_sync_at": null,
        "last_error": null
      }
    }
  },
  "createMedia": {
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000019",
        "url": "https://api.example/api/v1/public/media/9819ca177c8c656219c89d63fa07bc0752714f266819eb669c6fce818ff669de.png",
        "version": 1,
        "created_at": "2026-11-25T19:41:31.174Z",
        "updated_at": "2026-11-25T19:41:31.174Z",
        "width": 4,
        "height": 2,
        "bytes": 115,
        "content_type": "image/png"
      }
    }
  },
  "createMember": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000002"
    },
    "body": {
      "sub": "member-1",
      "role": "analyst"
    },
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000015",
        "version": 1,
        "created_at": "2026-11-25T19:41:27.532Z",
        "updated_at": "2026-11-25T19:41:27.532Z",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "sub": "member-1",
        "email": null,
        "role": "analyst",
        "membership": "invited"
      }
    }
  },
  "createProduct": {
    "body": {
      "site_id": "00000000-0000-4000-8000-000000000001",
      "product_id": "00000000-0000-4000-8000-000000000005",
      "title": "Shoe",
      "price": "12.5",
      "currency": "EUR",
      "url": "https://shop.example/1",
      "attributes": {
        "colour": "red",
        "sizes": [
          1,
          2.5
        ]
      }
    },
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000004",
        "version": 1,
        "created_at": "2026-11-25T19:41:17.222Z",
        "updated_at": "2026-11-25T19:41:17.222Z",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "product_id": "00000000-0000-4000-8000-000000000005",
        "title": "Shoe",
        "url": "https://shop.example/1",
        "image_url": null,
        "price": "12.50",
        "currency": "EUR",
        "availability": "in_stock",
        "attributes": {
          "colour": "red",
          "sizes": [
            1,
            2.5
          ]
        }
      }
    }
  },
  "createRuntimeToken": {
    "body": {
      "site_id": "00000000-0000-4000-8000-000000000031"
    },
    "answers": {
      "201": {
        "token": "eyJ.a.b",
        "token_type": "Bearer",
        "expires_in": 900,
        "expires_at": "2026-11-25T19:56:39.000Z",
        "site_id": "00000000-0000-4000-8000-000000000031"
      }
    }
  },
  "createSite": {
    "body": {
      "name": "Shop",
      "domain": "shop.example",
      "allowed_origins": [
        "https://shop.example"
      ]
    },
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000001",
        "version": 1,
        "created_at": "2026-11-25T19:41:14.938Z",
        "updated_at": "2026-11-25T19:41:14.938Z",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "name": "Shop",
        "domain": "shop.example",
        "allowed_origins": [
          "https://shop.example"
        ],
        "currency": "EUR",
        "timezone": "UTC",
        "publisher_mode": "off",
        "partner": {
          "providers": [
            "awin",
            "cj"
          ],
          "touch_limit": 20,
          "attribution_model": "linear",
          "lookback_days": null
        },
        "runtime_hourly_limit": 100000
      }
    }
  },
  "createSubmission": {
    "body": {
      "campaign_id": "00000000-0000-4000-8000-000000000064",
      "session_id": "00000000-0000-4000-8000-000000000065",
      "fields": {
        "note": "Hello"
      },
      "consent": {
        "granted": true
      }
    },
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000062",
        "version": 1,
        "created_at": "2026-11-25T19:41:55.083Z",
        "updated_at": "2026-11-25T19:41:55.083Z",
        "site_id": "00000000-0000-4000-8000-000000000063",
        "campaign_id": "00000000-0000-4000-8000-000000000064",
        "session_id": "00000000-0000-4000-8000-000000000065",
        "fields": {
          "note": "Hello"
        },
        "consent": {
          "granted": true,
          "text": null,
          "at": "2026-11-25T19:41:55.066Z"
        }
      }
    }
  },
  "createWorkflow": {
    "body": {
      "site_id": "00000000-0000-4000-8000-000000000001",
      "name": "CRM",
      "trigger": {
        "event_types": [
          "purchase"
        ],
        "conditions": [
          {
            "field": "properties.total",
            "operator": "in",
            "value": [
              1,
              "a",
              true
            ]
          }
        ]
      },
      "action": {
        "type": "webhook",
        "url": "https://crm.invalid/hook"
      }
    },
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000007",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "name": "CRM",
        "trigger": {
          "event_types": [
            "purchase"
          ],
          "match": "all",
          "conditions": [
            {
              "field": "properties.total",
              "operator": "in",
              "value": [
                1,
                "a",
                true
              ]
            }
          ]
        },
        "action": {
          "type": "webhook",
          "url": "https://crm.invalid/hook",
          "secret": "whsec_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        },
        "enabled": true,
        "disabled_reason": null,
        "last_delivered_at": null,
        "version": 1,
        "created_at": "2026-11-25T19:41:21.078Z",
        "updated_at": "2026-11-25T19:41:21.078Z"
      }
    }
  },
  "createWorkspace": {
    "body": {
      "name": "Other"
    },
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000024",
        "version": 1,
        "created_at": "2026-11-25T19:41:37.287Z",
        "updated_at": "2026-11-25T19:41:37.287Z",
        "name": "Other",
        "suspended": false,
        "hourly_limit": 10000,
        "quotas": {
          "sites": 100,
          "members": 500,
          "api_keys": 100,
          "campaigns": 5000,
          "active_content_bytes": 1048576,
          "media": 10000,
          "media_bytes": 2147483648,
          "integrations": 20,
          "products": 1000000,
          "profiles": 1000000,
          "submissions": 1000000,
          "audit_entries": 1000000,
          "jobs": 100000,
          "api_key_hourly_limit": 1000000000,
          "site_hourly_limit": 1000000000
        }
      }
    }
  },
  "declineMembership": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000002"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000018",
        "deleted": true
      }
    }
  },
  "deleteCampaign": {
    "path": {
      "campaign_id": "00000000-0000-4000-8000-000000000003"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000003",
        "deleted": true
      }
    }
  },
  "deleteExperiment": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000051"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000051",
        "deleted": true
      }
    }
  },
  "deleteIntegration": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000006"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000006",
        "deleted": true
      }
    }
  },
  "deleteMedia": {
    "path": {
      "media_id": "00000000-0000-4000-8000-000000000019"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000019",
        "deleted": true
      }
    }
  },
  "deleteMember": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000002",
      "member_id": "00000000-0000-4000-8000-000000000015"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000015",
        "deleted": true
      }
    }
  },
  "deleteProduct": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000004"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000004",
        "deleted": true
      }
    }
  },
  "deleteSite": {
    "path": {
      "site_id": "00000000-0000-4000-8000-000000000020"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000020",
        "deleted": true,
        "job_id": "00000000-0000-4000-8000-000000000021"
      }
    }
  },
  "deleteWorkflow": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000007"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000007",
        "deleted": true
      }
    }
  },
  "deleteWorkspace": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000024"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000024",
        "deleted": true,
        "job_id": "00000000-0000-4000-8000-000000000025"
      }
    }
  },
  "discardDeadLetter": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000081"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000081",
        "topic": "ingestion.track-event",
        "group": "ingestion.ingestion.track-event",
        "reason": "UnreadableError: Not a request to store events: line 1 is not a JSON array.",
        "attempts": 1,
        "at": "2026-11-25T19:42:04.770Z",
        "request_id": "00000000-0000-4000-8000-000000000082",
        "state": "discarded",
        "handled_at": "2026-11-25T19:42:04.953Z",
        "handled_by": "admin"
      }
    }
  },
  "discardSetAsideFact": {
    "path": {
      "service": "management",
      "id": "191"
    },
    "answers": {
      "200": {
        "service": "management",
        "id": "191",
        "topic": "test.edd6ab32.v1",
        "key": "key",
        "bytes": 5,
        "reason": "There is no topic test.edd6ab32.v1",
        "at": "2026-11-25T19:42:07.753Z",
        "state": "discarded"
      }
    }
  },
  "downloadExperimentResults": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000056"
    },
    "answers": {}
  },
  "downloadPublisherReport": {
    "query": {
      "site_id": "00000000-0000-4000-8000-000000000074",
      "from": "2026-03-01",
      "to": "2026-04-01"
    },
    "answers": {}
  },
  "eraseProfile": {
    "path": {
      "user_id": "ann"
    },
    "query": {
      "site_id": "00000000-0000-4000-8000-000000000063"
    },
    "answers": {
      "200": {
        "id": "ann",
        "deleted": true,
        "job_id": "00000000-0000-4000-8000-000000000068",
        "erasure_id": "00000000-0000-4000-8000-000000000069"
      }
    }
  },
  "excludeExperiment": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000055"
    },
    "body": {
      "sessions_per_network": 5
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000055",
        "version": 3,
        "created_at": "2026-11-25T23:25:30.494Z",
        "updated_at": "2026-11-25T23:25:31.446Z",
        "workspace_id": "00000000-0000-4000-8000-000000000051",
        "site_id": "00000000-0000-4000-8000-000000000052",
        "name": "Welcome banner",
        "hypothesis": null,
        "surface": "overlay",
        "campaign_ids": [
          "00000000-0000-4000-8000-000000000056"
        ],
        "traffic": 1,
        "primary_metric": "conversion",
        "alpha": 0.05,
        "power": 0.8,
        "minimum_detectable_effect": 0.2,
        "baseline_rate": 0.1,
        "attribution_window_days": 7,
        "state": "running",
        "salt": "59c109ab3896277f229478bc29366e76",
        "started_at": "2026-11-25T23:25:30.518Z",
        "stopped_at": null,
        "eligibility": {
          "providers": [],
          "partner_ids": []
        },
        "allocation": {
          "control": 0.5,
          "treatment": 0.5
        },
        "exclusions": {
          "sessions_per_network": 5
        }
      }
    }
  },
  "exportProfiles": {
    "query": {
      "site_id": "00000000-0000-4000-8000-000000000063"
    },
    "answers": {}
  },
  "exportSubmissions": {
    "query": {
      "site_id": "00000000-0000-4000-8000-000000000063"
    },
    "answers": {}
  },
  "findPublisherClick": {
    "query": {
      "reference": "reference-1"
    },
    "answers": {
      "200": {
        "site_id": "00000000-0000-4000-8000-000000000074",
        "click": {
          "event_id": "00000000-0000-4000-8000-000000000075",
          "provider": "awin",
          "occurred_at": "2026-03-10T11:00:00.000Z",
          "partner_id": null,
          "campaign_id": "spring",
          "content_id": "guide",
          "placement_id": null,
          "creative_id": null,
          "destination": "partner.example/shoes"
        },
        "clicks": 1,
        "settlements": [
          {
            "id": "00000000-0000-4000-8000-000000000073",
            "site_id": "00000000-0000-4000-8000-000000000074",
            "provider": "awin",
            "provider_transaction_id": "00000000-0000-4000-8000-000000000072",
            "has_click_reference": true,
            "status": "approved",
            "commissionable_amount": "100.00",
            "commission_amount": "5.00",
            "currency": "EUR",
            "order_reference": "order-1",
            "transaction_at": "2026-03-10T12:00:00.000Z",
            "updated_at": "2026-03-11T12:00:00.000Z",
            "recorded_at": "2026-11-25T19:41:57.939Z"
          }
        ]
      }
    }
  },
  "importProfiles": {
    "body": {
      "profiles": [
        {
          "user_id": "ann",
          "attributes": {
            "size": 41
          }
        }
      ]
    },
    "answers": {
      "202": {
        "job_id": "00000000-0000-4000-8000-000000000066"
      }
    }
  },
  "listApiKeys": {
    "path": {
      "site_id": "00000000-0000-4000-8000-000000000001"
    },
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000012",
            "site_id": "00000000-0000-4000-8000-000000000001",
            "name": "Backend",
            "prefix": "psp9tis4",
            "scopes": [
              "events:write"
            ],
            "hourly_limit": 1000,
            "expires_at": null,
            "revoked_at": null,
            "last_used_at": null,
            "version": 1,
            "created_at": "2026-11-25T19:41:25.303Z",
            "updated_at": "2026-11-25T19:41:25.303Z"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listAuditLog": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000022",
            "at": "2026-11-25T19:41:35.998Z",
            "actor": "owner-1",
            "action": "delete",
            "resource": "site",
            "resource_id": "00000000-0000-4000-8000-000000000020"
          },
          {
            "id": "00000000-0000-4000-8000-000000000023",
            "at": "2026-11-25T19:41:35.674Z",
            "actor": "owner-1",
            "action": "create",
            "resource": "site",
            "resource_id": "00000000-0000-4000-8000-000000000020"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listCampaigns": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000003",
            "workspace_id": "00000000-0000-4000-8000-000000000002",
            "site_id": "00000000-0000-4000-8000-000000000001",
            "type": "overlay",
            "name": "Welcome",
            "status": "draft",
            "schedule": {
              "from": "2026-01-01T00:00:00.000Z"
            },
            "targeting": {
              "languages": [
                "de"
              ],
              "device_types": [
                "mobile"
              ]
            },
            "content": {
              "layout": "modal",
              "title": "Hello"
            },
            "version": 1,
            "created_at": "2026-11-25T19:41:15.078Z",
            "updated_at": "2026-11-25T19:41:15.078Z"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listChatbots": {
    "answers": {
      "200": {
        "items": [
          {
            "campaign_id": "00000000-0000-4000-8000-000000000050",
            "name": "campaign-1",
            "content": {
              "greeting": "Hello",
              "answers": [
                {
                  "keywords": [
                    "size"
                  ],
                  "text": "It runs small."
                }
              ]
            }
          }
        ]
      }
    }
  },
  "listCommissionRules": {
    "query": {
      "website_id": "00000000-0000-4000-8000-000000000031"
    },
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000037",
            "provider": "awin",
            "partner_id": "partner-2",
            "type": "fixed",
            "rate": null,
            "effective_from": "2025-01-01T00:00:00.000Z",
            "created_at": "2026-11-25T19:41:40.444Z",
            "website_id": "00000000-0000-4000-8000-000000000031",
            "amount": "1.50",
            "currency": "EUR"
          },
          {
            "id": "00000000-0000-4000-8000-000000000036",
            "provider": "awin",
            "partner_id": null,
            "type": "percentage",
            "rate": "0.05",
            "effective_from": "2025-01-01T00:00:00.000Z",
            "created_at": "2026-11-25T19:41:40.337Z",
            "website_id": "00000000-0000-4000-8000-000000000031",
            "amount": null,
            "currency": null
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listDeadLetters": {
    "query": {
      "request_id": "00000000-0000-4000-8000-000000000079"
    },
    "answers": {
      "200": {
        "items": [],
        "next_cursor": null
      }
    }
  },
  "listDeliveries": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000009"
    },
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000008",
            "workflow_id": "00000000-0000-4000-8000-000000000009",
            "webhook_id": "msg_00000000000000000000000000000000",
            "event_type": "purchase",
            "event_id": "00000000-0000-4000-8000-000000000010",
            "record_id": null,
            "order_id": null,
            "status": "pending",
            "test": true,
            "created_at": "2026-11-25T19:41:23.176Z",
            "next_attempt_at": "2026-11-25T19:41:27.897Z",
            "attempts": [
              {
                "at": "2026-11-25T19:41:23.241Z",
                "status": null,
                "latency_ms": 140,
                "error": "The name of the endpoint does not exist.",
                "response": null,
                "replay": false
              }
            ]
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listErasures": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000069",
            "site_id": "00000000-0000-4000-8000-000000000063",
            "requested_at": "2026-11-25T19:41:56.581Z",
            "requested_by": "owner-1",
            "finished_at": null,
            "services": [
              {
                "service": "analytics",
                "state": "waiting",
                "confirmed_at": null,
                "removed": {
                  "profiles": 0,
                  "events": 0,
                  "submissions": 0,
                  "other": 0
                }
              },
              {
                "service": "attribution-ledger",
                "state": "waiting",
                "confirmed_at": null,
                "removed": {
                  "profiles": 0,
                  "events": 0,
                  "submissions": 0,
                  "other": 0
                }
              }
            ]
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listEvents": {
    "query": {
      "limit": "1",
      "site_id": "00000000-0000-4000-8000-000000000077"
    },
    "answers": {
      "200": {
        "items": [],
        "next_cursor": null
      }
    }
  },
  "listExperiments": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000050",
            "version": 1,
            "created_at": "2026-11-25T23:25:30.058Z",
            "updated_at": "2026-11-25T23:25:30.058Z",
            "workspace_id": "00000000-0000-4000-8000-000000000051",
            "site_id": "00000000-0000-4000-8000-000000000052",
            "name": "Welcome banner",
            "hypothesis": null,
            "surface": "overlay",
            "campaign_ids": [
              "00000000-0000-4000-8000-000000000053"
            ],
            "traffic": 1,
            "primary_metric": "conversion",
            "alpha": 0.05,
            "power": 0.8,
            "minimum_detectable_effect": 0.2,
            "baseline_rate": 0.1,
            "attribution_window_days": 7,
            "state": "draft",
            "salt": "4728565d32aad9dbb0a352db9e3a952a",
            "started_at": null,
            "stopped_at": null,
            "eligibility": {
              "providers": [
                "awin"
              ],
              "partner_ids": []
            },
            "allocation": {
              "control": 0.5,
              "treatment": 0.5
            },
            "exclusions": {
              "sessions_per_network": null
            }
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listIntegrations": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000006",
            "site_id": "00000000-0000-4000-8000-000000000001",
            "provider": "cj",
            "base_url": null,
            "status": "pending",
            "last_sync_at": null,
            "last_error": null,
            "version": 1,
            "created_at": "2026-11-25T19:41:18.629Z",
            "updated_at": "2026-11-25T19:41:18.629Z"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listJobs": {
    "answers": {
      "200": {
        "items": [
          {
            "job_id": "00000000-0000-4000-8000-000000000068",
            "type": "profile.erase",
            "state": "running",
            "total": 0,
            "done": 0,
            "stored": 0,
            "failed": 0,
            "created_at": "2026-11-25T19:41:56.581Z",
            "finished_at": null,
            "site_id": "00000000-0000-4000-8000-000000000063",
            "started_by": "owner-1",
            "cancellable": false
          },
          {
            "job_id": "00000000-0000-4000-8000-000000000066",
            "type": "profiles.import",
            "state": "completed",
            "total": 1,
            "done": 1,
            "stored": 1,
            "failed": 0,
            "created_at": "2026-11-25T19:41:55.831Z",
            "finished_at": "2026-11-25T19:41:55.905Z",
            "site_id": "00000000-0000-4000-8000-000000000063",
            "started_by": "key:oo91qcgf",
            "cancellable": false
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listMedia": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000019",
            "url": "https://api.example/api/v1/public/media/9819ca177c8c656219c89d63fa07bc0752714f266819eb669c6fce818ff669de.png",
            "width": 4,
            "height": 2,
            "bytes": 115,
            "content_type": "image/png",
            "version": 1,
            "created_at": "2026-11-25T19:41:31.174Z",
            "updated_at": "2026-11-25T19:41:31.174Z"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listMembers": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000002"
    },
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000015",
            "workspace_id": "00000000-0000-4000-8000-000000000002",
            "sub": "member-1",
            "email": null,
            "role": "analyst",
            "membership": "invited",
            "version": 1,
            "created_at": "2026-11-25T19:41:27.532Z",
            "updated_at": "2026-11-25T19:41:27.532Z"
          },
          {
            "id": "00000000-0000-4000-8000-000000000016",
            "workspace_id": "00000000-0000-4000-8000-000000000002",
            "sub": "owner-1",
            "email": null,
            "role": "owner",
            "membership": "accepted",
            "version": 1,
            "created_at": "2026-11-25T19:41:13.395Z",
            "updated_at": "2026-11-25T19:41:13.395Z"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listOrders": {
    "query": {
      "website_id": "00000000-0000-4000-8000-000000000031"
    },
    "answers": {
      "200": {
        "items": [
          {
            "order_id": "00000000-0000-4000-8000-000000000040",
            "conversion_id": "00000000-0000-4000-8000-000000000039",
            "currency": "EUR",
            "state": "cancelled",
            "occurred_at": "2026-01-01T09:30:00.000Z",
            "recorded_at": "2026-11-25T19:41:42.214Z",
            "changed_at": "2026-11-25T19:41:44.021Z",
            "revenue": "31.87",
            "remaining_revenue": "0.00",
            "remaining_commissionable": "0.00",
            "commission": "0.00",
            "entry_count": 3,
            "partners": []
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listOverlays": {
    "answers": {
      "200": {
        "items": [
          {
            "campaign_id": "00000000-0000-4000-8000-000000000049",
            "name": "campaign-1",
            "content": {
              "layout": "banner",
              "title": "Welcome"
            }
          }
        ]
      }
    }
  },
  "listProducts": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000004",
            "site_id": "00000000-0000-4000-8000-000000000001",
            "product_id": "00000000-0000-4000-8000-000000000005",
            "title": "Shoe",
            "url": "https://shop.example/1",
            "image_url": null,
            "price": "12.50",
            "currency": "EUR",
            "availability": "in_stock",
            "attributes": {
              "colour": "red",
              "sizes": [
                1,
                2.5
              ]
            },
            "version": 1,
            "created_at": "2026-11-25T19:41:17.222Z",
            "updated_at": "2026-11-25T19:41:17.222Z"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listProfiles": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000067",
            "site_id": "00000000-0000-4000-8000-000000000063",
            "user_id": "ann",
            "email": null,
            "phone": null,
            "name": null,
            "first_name": null,
            "last_name": null,
            "language": null,
            "attributes": {
              "size": 41
            },
            "version": 1,
            "created_at": "2026-11-25T19:41:55.899Z",
            "updated_at": "2026-11-25T19:41:55.899Z"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listRevenueItems": {
    "query": {
      "part": "adjustments",
      "currency": "EUR",
      "site_id": "00000000-0000-4000-8000-000000000077"
    },
    "answers": {
      "200": {
        "site_id": "00000000-0000-4000-8000-000000000077",
        "window": {
          "from": "2026-10-27T00:00:00.000Z",
          "to": "2026-11-26T00:00:00.000Z"
        },
        "timezone": "UTC",
        "as_of": "2026-11-25T19:42:00.175Z",
        "items": [],
        "next_cursor": null
      }
    }
  },
  "listSealedRecords": {
    "query": {
      "website_id": "00000000-0000-4000-8000-000000000031"
    },
    "answers": {
      "200": {
        "items": [
          {
            "sequence": "1",
            "format": "truetally.ledger.1",
            "previous_hash": "0000000000000000000000000000000000000000000000000000000000000000",
            "hash": "e241380e0c6f4dcb60e3d94e5f5856015a387822f565b97662c7bdc933b05e8d",
            "fields": [
              [
                "site_id",
                "00000000-0000-4000-8000-000000000031"
              ],
              [
                "chain_sequence",
                "1"
              ],
              [
                "record_id",
                "00000000-0000-4000-8000-000000000038"
              ],
              [
                "conversion_id",
                "00000000-0000-4000-8000-000000000039"
              ],
              [
                "order_id",
                "00000000-0000-4000-8000-000000000040"
              ],
              [
                "order_sequence",
                "1"
              ],
              [
                "event_type",
                "purchase"
              ],
              [
                "state",
                "recorded"
              ],
              [
                "idempotency_key",
                "00000000-0000-4000-8000-000000000042"
              ],
              [
                "fingerprint",
                "4bc7a9851ae857886c8939c11263e96300ef000d78e9af737a874acbdfdcceb2"
              ],
              [
                "currency",
                "EUR"
              ],
              [
                "occurred_at",
                "2026-01-01 09:30:00+00"
              ],
              [
                "recorded_at",
                "2026-11-25 19:41:42.214+00"
              ],
              [
                "receivable",
                "3187"
              ],
              [
                "merchandise",
                "-2550"
              ],
              [
                "discount",
                "200"
              ],
              [
                "tax",
                "-447"
              ],
              [
                "shipping",
                "-390"
              ],
              [
                "commissionable",
                "2350"
              ],
              [
                "cost",
                null
              ],
              [
                "margin",
                "300"
              ],
              [
                "commission",
                "0"
              ],
              [
                "memorandum",
                "-2650"
              ],
              [
                "receivable_balance",
                "3187"
              ],
              [
                "merchandise_balance",
                "-2550"
              ],
              [
                "discount_balance",
                "200"
              ],
              [
                "tax_balance",
                "-447"
              ],
              [
                "shipping_balance",
                "-390"
              ],
              [
                "commissionable_balance",
                "2350"
              ],
              [
                "cost_balance",
                null
              ],
              [
                "margin_balance",
                "300"
              ],
              [
                "commission_balance",
                "0"
              ],
              [
                "memorandum_balance",
                "-2650"
              ],
              [
                "margin_basis",
                "estimated"
              ],
              [
                "margin_source",
                "erp"
              ],
              [
                "reason",
                null
              ],
              [
                "lines",
                "[{\"line_id\":\"line-1\",\"sku\":\"SKU-1\",\"quantity\":\"2\",\"unit_price\":\"10\",\"subtotal\":\"20.00\",\"discount\":\"2.00\",\"commissionable_amount\":\"18.00\",\"item_cost\":null},{\"line_id\":\"line-2\",\"sku\":\"SKU-1\",\"quantity\":\"1\",\"unit_price\":\"5.5\",\"subtotal\":\"5.50\",\"discount\":\"0.00\",\"commissionable_amount\":\"5.50\",\"item_cost\":null}]"
              ],
              [
                "touch_ids",
                "[\"00000000-0000-4000-8000-000000000043\",\"00000000-0000-4000-8000-000000000041\"]"
              ],
              [
                "experiment_assignment_ids",
                "[]"
              ],
              [
                "attribution",
                "[{\"touch_id\":\"00000000-0000-4000-8000-000000000043\",\"outcome\":\"refused\",\"reason\":\"after_purchase\",\"share\":\"0.00\"},{\"touch_id\":\"00000000-0000-4000-8000-000000000041\",\"outcome\":\"unmatched\",\"reason\":\"unknown_touch\",\"share\":\"0.00\"}]"
              ],
              [
                "request_partition",
                "0"
              ],
              [
                "request_offset",
                "2"
              ],
              [
                "request_id",
                "00000000-0000-4000-8000-000000000046"
              ],
              [
                "attribution_model",
                "linear"
              ],
              [
                "lookback_days",
                null
              ]
            ]
          },
          {
            "sequence": "2",
            "format": "truetally.ledger.1",
            "previous_hash": "e241380e0c6f4dcb60e3d94e5f5856015a387822f565b97662c7bdc933b05e8d",
            "hash": "db43052a80547dba21b6e87a4415ec1ce22f380da15837dcb51a6edb848d71d1",
            "fields": [
              [
                "site_id",
                "00000000-0000-4000-8000-000000000031"
              ],
              [
                "chain_sequence",
                "2"
              ],
              [
                "record_id",
                "00000000-0000-4000-8000-000000000044"
              ],
              [
                "conversion_id",
                "00000000-0000-4000-8000-000000000039"
              ],
              [
                "order_id",
                "00000000-0000-4000-8000-000000000040"
              ],
              [
                "order_sequence",
                "2"
              ],
              [
                "event_type",
                "commission"
              ],
              [
                "state",
                "recorded"
              ],
              [
                "idempotency_key",
                null
              ],
              [
                "fingerprint",
                null
              ],
              [
                "currency",
                "EUR"
              ],
              [
                "occurred_at",
                "2026-01-01 09:30:00+00"
              ],
              [
                "recorded_at",
                "2026-11-25 19:41:42.966+00"
              ],
              [
                "receivable",
                "0"
              ],
              [
                "merchandise",
                "0"
              ],
              [
                "discount",
                "0"
              ],
              [
                "tax",
                "0"
              ],
              [
                "shipping",
                "0"
              ],
              [
                "commissionable",
                "0"
              ],
              [
                "cost",
                null
              ],
              [
                "margin",
                null
              ],
              [
                "commission",
                "0"
              ],
              [
                "memorandum",
                "0"
              ],
              [
                "receivable_balance",
                "3187"
              ],
              [
                "merchandise_balance",
                "-2550"
              ],
              [
                "discount_balance",
                "200"
              ],
              [
                "tax_balance",
                "-447"
              ],
              [
                "shipping_balance",
                "-390"
              ],
              [
                "commissionable_balance",
                "2350"
              ],
              [
                "cost_balance",
                null
              ],
              [
                "margin_balance",
                "300"
              ],
              [
                "commission_balance",
                "0"
              ],
              [
                "memorandum_balance",
                "-2650"
              ],
              [
                "margin_basis",
                "estimated"
              ],
              [
                "margin_source",
                null
              ],
              [
                "reason",
                "touch_matched"
              ],
              [
                "lines",
                null
              ],
              [
                "touch_ids",
                "[\"00000000-0000-4000-8000-000000000041\"]"
              ],
              [
                "experiment_assignment_ids",
                "[]"
              ],
              [
                "attribution",
                "[{\"touch_id\":\"00000000-0000-4000-8000-000000000043\",\"outcome\":\"refused\",\"reason\":\"after_purchase\",\"share\":\"0.00\"},{\"touch_id\":\"00000000-0000-4000-8000-000000000041\",\"outcome\":\"refused\",\"reason\":\"after_purchase\",\"share\":\"0.00\"}]"
              ],
              [
                "request_partition",
                null
              ],
              [
                "request_offset",
                null
              ],
              [
                "request_id",
                null
              ],
              [
                "attribution_model",
                "linear"
              ],
              [
                "lookback_days",
                null
              ]
            ]
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listSetAsideFacts": {
    "query": {
      "service": "management",
      "limit": "200"
    },
    "answers": {
      "200": {
        "items": [],
        "next_cursor": null
      }
    }
  },
  "listSettlementStates": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000071",
      "settlement_id": "00000000-0000-4000-8000-000000000073"
    },
    "query": {
      "limit": "1"
    },
    "answers": {
      "200": {
        "items": [
          {
            "status": "approved",
            "commissionable_amount": "100.00",
            "commission_amount": "5.00",
            "currency": "EUR",
            "order_reference": "order-1",
            "transaction_at": "2026-03-10T12:00:00.000Z",
            "updated_at": "2026-03-11T12:00:00.000Z",
            "recorded_at": "2026-11-25T19:41:57.939Z"
          }
        ],
        "next_cursor": "MjAyNi0wMy0xMSAxMjowMDowMC4wMDAwMDArMDAgYzg1Yzk1OWYtNjExYy04ZjQzLTgxOWEtZGI0MzgxMThiMWVj"
      }
    }
  },
  "listSettlements": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000071"
    },
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000073",
            "site_id": "00000000-0000-4000-8000-000000000074",
            "provider": "awin",
            "provider_transaction_id": "00000000-0000-4000-8000-000000000072",
            "has_click_reference": true,
            "status": "approved",
            "commissionable_amount": "100.00",
            "commission_amount": "5.00",
            "currency": "EUR",
            "order_reference": "order-1",
            "transaction_at": "2026-03-10T12:00:00.000Z",
            "updated_at": "2026-03-11T12:00:00.000Z",
            "recorded_at": "2026-11-25T19:41:57.939Z",
            "history": [
              {
                "status": "pending",
                "commissionable_amount": "100.00",
                "commission_amount": "5.00",
                "currency": "EUR",
                "order_reference": "order-1",
                "transaction_at": "2026-03-10T12:00:00.000Z",
                "updated_at": "2026-03-10T12:00:00.000Z",
                "recorded_at": "2026-11-25T19:41:57.939Z"
              },
              {
                "status": "approved",
                "commissionable_amount": "100.00",
                "commission_amount": "5.00",
                "currency": "EUR",
                "order_reference": "order-1",
                "transaction_at": "2026-03-10T12:00:00.000Z",
                "updated_at": "2026-03-11T12:00:00.000Z",
                "recorded_at": "2026-11-25T19:41:57.939Z"
              }
            ],
            "history_count": 2
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listSites": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000001",
            "workspace_id": "00000000-0000-4000-8000-000000000002",
            "name": "Shop",
            "domain": "shop.example",
            "allowed_origins": [
              "https://shop.example"
            ],
            "currency": "EUR",
            "timezone": "UTC",
            "publisher_mode": "off",
            "runtime_hourly_limit": 100000,
            "version": 1,
            "created_at": "2026-11-25T19:41:14.938Z",
            "updated_at": "2026-11-25T19:41:14.938Z",
            "partner": {
              "providers": [
                "awin",
                "cj"
              ],
              "touch_limit": 20,
              "attribution_model": "linear",
              "lookback_days": null
            }
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listSubmissions": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000062",
            "site_id": "00000000-0000-4000-8000-000000000063",
            "campaign_id": "00000000-0000-4000-8000-000000000064",
            "session_id": "00000000-0000-4000-8000-000000000065",
            "fields": {
              "note": "Hello"
            },
            "consent": {
              "granted": true,
              "text": null,
              "at": "2026-11-25T19:41:55.066Z"
            },
            "version": 1,
            "created_at": "2026-11-25T19:41:55.083Z",
            "updated_at": "2026-11-25T19:41:55.083Z"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listTouches": {
    "query": {
      "website_id": "00000000-0000-4000-8000-000000000031",
      "limit": "1"
    },
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000035",
            "touch_id": "00000000-0000-4000-8000-000000000034",
            "provider": "awin",
            "direction": "outbound",
            "partner_id": null,
            "landing_path": null,
            "occurred_at": "2026-01-31T09:30:00.000Z",
            "provenance": "browser_sdk",
            "session_id": "session-1",
            "recorded_at": "2026-11-25T19:41:39.413Z"
          }
        ],
        "next_cursor": "MjAyNi0xMS0yNSAxOTo0MTozOS40MTMrMDAgNTNmMDI2MzYtMGNjOS04ZGMxLTgzMjAtMzZjOGRlMjMyNzZm"
      }
    }
  },
  "listWorkflows": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000007",
            "workspace_id": "00000000-0000-4000-8000-000000000002",
            "site_id": "00000000-0000-4000-8000-000000000001",
            "name": "CRM",
            "trigger": {
              "event_types": [
                "purchase"
              ],
              "match": "all",
              "conditions": [
                {
                  "field": "properties.total",
                  "operator": "in",
                  "value": [
                    1,
                    "a",
                    true
                  ]
                }
              ]
            },
            "action": {
              "type": "webhook",
              "url": "https://crm.invalid/hook"
            },
            "enabled": true,
            "disabled_reason": null,
            "last_delivered_at": null,
            "version": 1,
            "created_at": "2026-11-25T19:41:21.078Z",
            "updated_at": "2026-11-25T19:41:21.078Z"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "listWorkspaces": {
    "answers": {
      "200": {
        "items": [
          {
            "id": "00000000-0000-4000-8000-000000000002",
            "name": "owner-1",
            "suspended": false,
            "hourly_limit": 1000000,
            "quotas": {
              "sites": 100,
              "members": 500,
              "api_keys": 100,
              "campaigns": 5000,
              "active_content_bytes": 1048576,
              "media": 10000,
              "media_bytes": 2147483648,
              "integrations": 20,
              "products": 1000000,
              "profiles": 1000000,
              "submissions": 1000000,
              "audit_entries": 1000000,
              "jobs": 100000,
              "api_key_hourly_limit": 1000000000,
              "site_hourly_limit": 1000000000
            },
            "version": 2,
            "created_at": "2026-11-25T19:41:13.395Z",
            "updated_at": "2026-11-25T19:41:13.495Z",
            "role": "owner",
            "membership": "accepted"
          }
        ],
        "next_cursor": null
      }
    }
  },
  "pauseExperiment": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000055"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000055",
        "version": 5,
        "created_at": "2026-11-25T23:25:30.494Z",
        "updated_at": "2026-11-25T23:25:31.855Z",
        "workspace_id": "00000000-0000-4000-8000-000000000051",
        "site_id": "00000000-0000-4000-8000-000000000052",
        "name": "Welcome banner",
        "hypothesis": null,
        "surface": "overlay",
        "campaign_ids": [
          "00000000-0000-4000-8000-000000000056"
        ],
        "traffic": 1,
        "primary_metric": "conversion",
        "alpha": 0.05,
        "power": 0.8,
        "minimum_detectable_effect": 0.2,
        "baseline_rate": 0.1,
        "attribution_window_days": 7,
        "state": "paused",
        "salt": "59c109ab3896277f229478bc29366e76",
        "started_at": "2026-11-25T23:25:30.518Z",
        "stopped_at": null,
        "eligibility": {
          "providers": [],
          "partner_ids": []
        },
        "allocation": {
          "control": 0.5,
          "treatment": 0.5
        },
        "exclusions": {
          "sessions_per_network": null
        }
      }
    }
  },
  "planSample": {
    "query": {
      "baseline_rate": "0.1",
      "minimum_detectable_effect": "0.2",
      "daily_sessions": "1000"
    },
    "answers": {
      "200": {
        "required_sessions_per_arm": 3839,
        "total_sessions": 7678,
        "days": 8
      }
    }
  },
  "putProducts": {
    "body": {
      "site_id": "00000000-0000-4000-8000-000000000001",
      "products": [
        {
          "product_id": "b",
          "title": "Boot"
        }
      ]
    },
    "answers": {
      "200": {
        "created": 1,
        "updated": 0
      }
    }
  },
  "readAdministeredWorkspace": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000078"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000078",
        "name": "owner-1",
        "suspended": false,
        "hourly_limit": 1000000,
        "quotas": {
          "sites": 100,
          "members": 500,
          "api_keys": 100,
          "campaigns": 5000,
          "active_content_bytes": 1048576,
          "media": 10000,
          "media_bytes": 2147483648,
          "integrations": 20,
          "products": 1000000,
          "profiles": 1000000,
          "submissions": 1000000,
          "audit_entries": 1000000,
          "jobs": 100000,
          "api_key_hourly_limit": 1000000000,
          "site_hourly_limit": 1000000000
        },
        "version": 2,
        "created_at": "2026-11-25T19:42:03.329Z",
        "updated_at": "2026-11-25T19:42:03.358Z"
      }
    }
  },
  "readApiKey": {
    "path": {
      "site_id": "00000000-0000-4000-8000-000000000001",
      "key_id": "00000000-0000-4000-8000-000000000012"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000012",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "name": "Backend",
        "prefix": "psp9tis4",
        "scopes": [
          "events:write"
        ],
        "hourly_limit": 1000,
        "expires_at": null,
        "revoked_at": null,
        "last_used_at": null,
        "version": 1,
        "created_at": "2026-11-25T19:41:25.303Z",
        "updated_at": "2026-11-25T19:41:25.303Z"
      }
    }
  },
  "readApiPage": {
    "answers": {}
  },
  "readApiPageFile": {
    "path": {
      "file": "start.a73640f495019565.js"
    },
    "answers": {}
  },
  "readCampaign": {
    "path": {
      "campaign_id": "00000000-0000-4000-8000-000000000003"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000003",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "type": "overlay",
        "name": "Welcome",
        "status": "draft",
        "schedule": {
          "from": "2026-01-01T00:00:00.000Z"
        },
        "targeting": {
          "languages": [
            "de"
          ],
          "device_types": [
            "mobile"
          ]
        },
        "content": {
          "layout": "modal",
          "title": "Hello"
        },
        "version": 1,
        "created_at": "2026-11-25T19:41:15.078Z",
        "updated_at": "2026-11-25T19:41:15.078Z"
      }
    }
  },
  "readChain": {
    "query": {
      "website_id": "00000000-0000-4000-8000-000000000031"
    },
    "answers": {
      "200": {
        "website_id": "00000000-0000-4000-8000-000000000031",
        "head": {
          "sequence": "4",
          "hash": "cc46436f3da6af491215b0f4ec21fea9dfaa84662c28ac081886901544455dc1",
          "recorded_at": "2026-11-25T19:41:44.021Z"
        },
        "last_verification": {
          "state": "sound",
          "from_sequence": "1",
          "to_sequence": "4",
          "to_hash": "cc46436f3da6af491215b0f4ec21fea9dfaa84662c28ac081886901544455dc1",
          "started_at": "2026-11-25T19:41:44.630Z",
          "finished_at": "2026-11-25T19:41:44.637Z",
          "broken": null
        }
      }
    }
  },
  "readConsumers": {
    "answers": {
      "200": {
        "items": [
          {
            "group": "analytics",
            "topic": "analytics.run-job-step",
            "partition": 0,
            "lag": 0
          },
          {
            "group": "analytics.analytics.queries",
            "topic": "analytics.queries",
            "partition": 1,
            "lag": 0
          }
        ],
        "next_cursor": null
      }
    }
  },
  "readDelivery": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000009",
      "delivery_id": "00000000-0000-4000-8000-000000000008"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000008",
        "workflow_id": "00000000-0000-4000-8000-000000000009",
        "webhook_id": "msg_00000000000000000000000000000000",
        "event_type": "purchase",
        "event_id": "00000000-0000-4000-8000-000000000010",
        "record_id": null,
        "order_id": null,
        "status": "pending",
        "test": true,
        "created_at": "2026-11-25T19:41:23.176Z",
        "next_attempt_at": "2026-11-25T19:41:27.897Z",
        "attempts": [
          {
            "at": "2026-11-25T19:41:23.241Z",
            "status": null,
            "latency_ms": 140,
            "error": "The name of the endpoint does not exist.",
            "response": null,
            "replay": false
          }
        ]
      }
    }
  },
  "readDocument": {
    "answers": {}
  },
  "readErasure": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000069"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000069",
        "site_id": "00000000-0000-4000-8000-000000000063",
        "requested_at": "2026-11-25T19:41:56.581Z",
        "requested_by": "owner-1",
        "finished_at": null,
        "services": [
          {
            "service": "analytics",
            "state": "waiting",
            "confirmed_at": null,
            "removed": {
              "profiles": 0,
              "events": 0,
              "submissions": 0,
              "other": 0
            }
          },
          {
            "service": "attribution-ledger",
            "state": "waiting",
            "confirmed_at": null,
            "removed": {
              "profiles": 0,
              "events": 0,
              "submissions": 0,
              "other": 0
            }
          }
        ]
      }
    }
  },
  "readExperiment": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000050"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000050",
        "version": 1,
        "created_at": "2026-11-25T23:25:30.058Z",
        "updated_at": "2026-11-25T23:25:30.058Z",
        "workspace_id": "00000000-0000-4000-8000-000000000051",
        "site_id": "00000000-0000-4000-8000-000000000052",
        "name": "Welcome banner",
        "hypothesis": null,
        "surface": "overlay",
        "campaign_ids": [
          "00000000-0000-4000-8000-000000000053"
        ],
        "traffic": 1,
        "primary_metric": "conversion",
        "alpha": 0.05,
        "power": 0.8,
        "minimum_detectable_effect": 0.2,
        "baseline_rate": 0.1,
        "attribution_window_days": 7,
        "state": "draft",
        "salt": "4728565d32aad9dbb0a352db9e3a952a",
        "started_at": null,
        "stopped_at": null,
        "eligibility": {
          "providers": [
            "awin"
          ],
          "partner_ids": []
        },
        "allocation": {
          "control": 0.5,
          "treatment": 0.5
        },
        "exclusions": {
          "sessions_per_network": null
        }
      }
    }
  },
  "readExperimentResults": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000050"
    },
    "answers": {
      "200": {
        "experiment": {
          "id": "00000000-0000-4000-8000-000000000050",
          "version": 2,
          "created_at": "2026-11-25T23:25:30.058Z",
          "updated_at": "2026-11-25T23:25:30.183Z",
          "workspace_id": "00000000-0000-4000-8000-000000000051",
          "site_id": "00000000-0000-4000-8000-000000000052",
          "name": "Welcome banner",
          "hypothesis": "More is sold.",
          "surface": "overlay",
          "campaign_ids": [
            "00000000-0000-4000-8000-000000000053"
          ],
          "traffic": 1,
          "primary_metric": "conversion",
          "alpha": 0.05,
          "power": 0.8,
          "minimum_detectable_effect": 0.2,
          "baseline_rate": 0.1,
          "attribution_window_days": 7,
          "state": "draft",
          "salt": "4728565d32aad9dbb0a352db9e3a952a",
          "started_at": null,
          "stopped_at": null,
          "eligibility": {
            "providers": [
              "awin"
            ],
            "partner_ids": []
          },
          "allocation": {
            "control": 0.5,
            "treatment": 0.5
          },
          "exclusions": {
            "sessions_per_network": null
          }
        },
        "window": {
          "from": null,
          "to": null
        },
        "arms": {
          "control": {
            "eligible_sessions": 0,
            "converted_sessions": 0,
            "conversion": {
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "reason": "no_sessions",
              "skewed": false
            },
            "revenue_per_session": {
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "reason": "no_sessions",
              "skewness": null,
              "skewed": false,
              "adjusted_interval": null
            },
            "gross_profit_per_session": {
              "reason": "no_sessions",
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "skewness": null,
              "skewed": false,
              "adjusted_interval": null,
              "coverage": null
            },
            "partner_contribution_per_session": {
              "reason": "no_sessions",
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "skewness": null,
              "skewed": false,
              "adjusted_interval": null,
              "coverage": null
            }
          },
          "treatment": {
            "eligible_sessions": 0,
            "converted_sessions": 0,
            "conversion": {
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "reason": "no_sessions",
              "skewed": false
            },
            "revenue_per_session": {
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "reason": "no_sessions",
              "skewness": null,
              "skewed": false,
              "adjusted_interval": null
            },
            "gross_profit_per_session": {
              "reason": "no_sessions",
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "skewness": null,
              "skewed": false,
              "adjusted_interval": null,
              "coverage": null
            },
            "partner_contribution_per_session": {
              "reason": "no_sessions",
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "skewness": null,
              "skewed": false,
              "adjusted_interval": null,
              "coverage": null
            }
          }
        },
        "effects": {
          "conversion": {
            "absolute": null,
            "relative": {
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "reason": "no_sessions",
              "adjusted_interval": null,
              "skewed": false
            },
            "standard_error": null,
            "confidence_interval": null,
            "adjusted_interval": null,
            "skewed": false,
            "p_value": null,
            "method": "unpooled_two_proportion_z",
            "sequential": {
              "level": 0.95,
              "low": null,
              "high": null,
              "reason": "no_sessions"
            },
            "premature": true,
            "reason": "no_sessions"
          },
          "revenue_per_session": {
            "absolute": null,
            "relative": {
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "reason": "no_sessions",
              "adjusted_interval": null,
              "skewed": false
            },
            "standard_error": null,
            "confidence_interval": null,
            "adjusted_interval": null,
            "skewed": false,
            "p_value": null,
            "method": "welch_t",
            "sequential": {
              "level": 0.95,
              "low": null,
              "high": null,
              "reason": "no_sessions"
            },
            "premature": true,
            "reason": "no_sessions"
          },
          "gross_profit_per_session": {
            "absolute": null,
            "relative": {
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "reason": "no_sessions",
              "adjusted_interval": null,
              "skewed": false
            },
            "standard_error": null,
            "confidence_interval": null,
            "adjusted_interval": null,
            "skewed": false,
            "p_value": null,
            "method": "welch_t",
            "sequential": {
              "level": 0.95,
              "low": null,
              "high": null,
              "reason": "no_sessions"
            },
            "premature": true,
            "reason": "no_sessions"
          },
          "partner_contribution_per_session": {
            "absolute": null,
            "relative": {
              "value": null,
              "standard_error": null,
              "confidence_interval": null,
              "reason": "no_sessions",
              "adjusted_interval": null,
              "skewed": false
            },
            "standard_error": null,
            "confidence_interval": null,
            "adjusted_interval": null,
            "skewed": false,
            "p_value": null,
            "method": "welch_t",
            "sequential": {
              "level": 0.95,
              "low": null,
              "high": null,
              "reason": "no_sessions"
            },
            "premature": true,
            "reason": "no_sessions"
          }
        },
        "sample_ratio": {
          "state": "insufficient",
          "expected": {
            "control": 0,
            "treatment": 0
          },
          "observed": {
            "control": 0,
            "treatment": 0
          },
          "chi_square": null,
          "p_value": null,
          "always_valid_p_value": null,
          "reason": "no_sessions",
          "breakdown": {
            "day": [],
            "provider": [],
            "device": []
          }
        },
        "concentration": {
          "state": "insufficient",
          "sampled": 0,
          "largest_network_share": null,
          "reason": "no_networks_known"
        },
        "unseen_sessions": {
          "state": "insufficient",
          "sampled": 0,
          "count": null,
          "share": null,
          "reason": "no_sessions"
        },
        "exclusions": {
          "state": "none",
          "sessions": {
            "control": 0,
            "treatment": 0
          },
          "changes": []
        },
        "power": {
          "state": "underpowered",
          "minimum_detectable_effect": 0.2,
          "required_sessions_per_arm": 3839,
          "observed_sessions_per_arm": {
            "control": 0,
            "treatment": 0
          }
        },
        "late_conversions": {
          "state": "none",
          "count": 0,
          "share": null,
          "reason": "no_orders"
        },
        "refunds": {
          "state": "none",
          "count": 0,
          "amount": 0
        },
        "cancellations": {
          "state": "none",
          "count": 0,
          "amount": 0
        },
        "other_currencies": {
          "count": 0,
          "currencies": []
        },
        "currency": "EUR",
        "scope_note": "These results measure the selected experiences within eligible partner traffic. They make no claim about a partner’s total incrementality."
      }
    }
  },
  "readExperimentSeries": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000051"
    },
    "answers": {
      "200": {
        "timezone": "UTC",
        "series": []
      }
    }
  },
  "readFunnel": {
    "query": {
      "steps": "page_view,purchase",
      "breakdown": "device",
      "site_id": "00000000-0000-4000-8000-000000000077"
    },
    "answers": {
      "200": {
        "site_id": "00000000-0000-4000-8000-000000000077",
        "window": {
          "from": "2026-10-27T00:00:00.000Z",
          "to": "2026-11-26T00:00:00.000Z"
        },
        "timezone": "UTC",
        "as_of": "2026-11-25T19:42:00.175Z",
        "window_minutes": 1440,
        "steps": [
          {
            "event_type": "page_view",
            "sessions": 0,
            "share": null
          },
          {
            "event_type": "purchase",
            "sessions": 0,
            "share": null
          }
        ],
        "breakdown": []
      }
    }
  },
  "readHealth": {
    "answers": {
      "200": {
        "status": "ok",
        "dependencies": {
          "kafka": true,
          "postgres": true,
          "sites": true,
          "credentials": true,
          "members": true,
          "campaigns": true,
          "experiments": true
        }
      }
    }
  },
  "readIntake": {
    "path": {
      "site_id": "00000000-0000-4000-8000-000000000001"
    },
    "answers": {
      "200": {
        "site_id": "00000000-0000-4000-8000-000000000001",
        "timezone": "UTC",
        "as_of": "2026-11-25T19:41:34.634Z",
        "last_event_at": null,
        "last_refused_at": null,
        "hours": [
          {
            "start": "2026-11-24T20:00:00.000Z",
            "received": 0,
            "stored": 0,
            "deduplicated": 0,
            "failed": 0,
            "balanced": true,
            "reasons": [],
            "refused_requests": []
          },
          {
            "start": "2026-11-24T21:00:00.000Z",
            "received": 0,
            "stored": 0,
            "deduplicated": 0,
            "failed": 0,
            "balanced": true,
            "reasons": [],
            "refused_requests": []
          }
        ],
        "allowances": [
          {
            "kind": "api_key",
            "key_id": "00000000-0000-4000-8000-000000000013",
            "prefix": "4s96cmz6",
            "limit": 1000,
            "used": 0,
            "remaining": 1000,
            "resets_at": "2026-11-25T20:00:00.000Z"
          },
          {
            "kind": "api_key",
            "key_id": "00000000-0000-4000-8000-000000000014",
            "prefix": "6lh6lkkr",
            "limit": 1000,
            "used": 0,
            "remaining": 1000,
            "resets_at": "2026-11-25T20:00:00.000Z"
          }
        ]
      }
    }
  },
  "readIntegration": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000006"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000006",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "provider": "cj",
        "base_url": null,
        "status": "pending",
        "last_sync_at": null,
        "last_error": null,
        "version": 1,
        "created_at": "2026-11-25T19:41:18.629Z",
        "updated_at": "2026-11-25T19:41:18.629Z"
      }
    }
  },
  "readJob": {
    "path": {
      "job_id": "00000000-0000-4000-8000-000000000021"
    },
    "answers": {
      "200": {
        "job_id": "00000000-0000-4000-8000-000000000021",
        "type": "site.delete",
        "state": "running",
        "total": 0,
        "done": 0,
        "stored": 0,
        "failed": 0,
        "created_at": "2026-11-25T19:41:35.998Z",
        "finished_at": null,
        "site_id": "00000000-0000-4000-8000-000000000020",
        "started_by": "owner-1",
        "cancellable": false,
        "errors": []
      }
    }
  },
  "readMedia": {
    "path": {
      "media_id": "00000000-0000-4000-8000-000000000019"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000019",
        "url": "https://api.example/api/v1/public/media/9819ca177c8c656219c89d63fa07bc0752714f266819eb669c6fce818ff669de.png",
        "width": 4,
        "height": 2,
        "bytes": 115,
        "content_type": "image/png",
        "version": 1,
        "created_at": "2026-11-25T19:41:31.174Z",
        "updated_at": "2026-11-25T19:41:31.174Z"
      }
    }
  },
  "readMediaFile": {
    "path": {
      "file": "9819ca177c8c656219c89d63fa07bc0752714f266819eb669c6fce818ff669de.png"
    },
    "answers": {}
  },
  "readMember": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000002",
      "member_id": "00000000-0000-4000-8000-000000000015"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000015",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "sub": "member-1",
        "email": null,
        "role": "analyst",
        "membership": "invited",
        "version": 1,
        "created_at": "2026-11-25T19:41:27.532Z",
        "updated_at": "2026-11-25T19:41:27.532Z"
      }
    }
  },
  "readOrder": {
    "path": {
      "order_id": "00000000-0000-4000-8000-000000000040"
    },
    "query": {
      "website_id": "00000000-0000-4000-8000-000000000031"
    },
    "answers": {
      "200": {
        "order_id": "00000000-0000-4000-8000-000000000040",
        "website_id": "00000000-0000-4000-8000-000000000031",
        "currency": "EUR",
        "state": "recorded",
        "conversion_id": "00000000-0000-4000-8000-000000000039",
        "remaining_revenue": "31.87",
        "remaining_commissionable": "23.50",
        "margin_basis": "estimated",
        "remaining_margin": "3.00",
        "commission": "0.00",
        "entries": [
          {
            "record_id": "00000000-0000-4000-8000-000000000038",
            "event_type": "purchase",
            "occurred_at": "2026-01-01T09:30:00.000Z",
            "recorded_at": "2026-11-25T19:41:42.214Z",
            "revenue_delta": "31.87",
            "commissionable_delta": "23.50",
            "tax_delta": "4.47",
            "shipping_delta": "3.90",
            "discount_delta": "2.00",
            "margin_delta": "3.00",
            "commission_delta": "0.00",
            "reason": null,
            "lines": [
              {
                "line_id": "line-1",
                "sku": "SKU-1",
                "quantity": "2",
                "unit_price": "10",
                "subtotal": "20.00",
                "discount": "2.00",
                "commissionable_amount": "18.00",
                "item_cost": null
              },
              {
                "line_id": "line-2",
                "sku": "SKU-1",
                "quantity": "1",
                "unit_price": "5.5",
                "subtotal": "5.50",
                "discount": "0.00",
                "commissionable_amount": "5.50",
                "item_cost": null
              }
            ],
            "attribution_model": "linear",
            "lookback_days": null,
            "sequence": "1",
            "hash": "e241380e0c6f4dcb60e3d94e5f5856015a387822f565b97662c7bdc933b05e8d"
          }
        ],
        "commission_entries": [
          {
            "record_id": "00000000-0000-4000-8000-000000000044",
            "recorded_at": "2026-11-25T19:41:42.966Z",
            "commission_delta": "0.00",
            "attribution_model": "linear",
            "lookback_days": null,
            "sequence": "2",
            "hash": "db43052a80547dba21b6e87a4415ec1ce22f380da15837dcb51a6edb848d71d1"
          }
        ],
        "next_cursor": null,
        "matched_touches": [
          {
            "touch_id": "00000000-0000-4000-8000-000000000043",
            "provider": "awin",
            "partner_id": "partner-1",
            "occurred_at": "2026-01-31T09:30:00.000Z"
          },
          {
            "touch_id": "00000000-0000-4000-8000-000000000041",
            "provider": "awin",
            "partner_id": "partner-1",
            "occurred_at": "2026-01-31T09:30:00.000Z"
          }
        ],
        "unmatched_touch_ids": [],
        "experiment_assignment_ids": [],
        "attribution": [
          {
            "touch_id": "00000000-0000-4000-8000-000000000043",
            "outcome": "refused",
            "reason": "after_purchase",
            "share": "0.00"
          },
          {
            "touch_id": "00000000-0000-4000-8000-000000000041",
            "outcome": "refused",
            "reason": "after_purchase",
            "share": "0.00"
          }
        ]
      }
    }
  },
  "readOverview": {
    "query": {
      "site_id": "00000000-0000-4000-8000-000000000077"
    },
    "answers": {
      "200": {
        "site_id": "00000000-0000-4000-8000-000000000077",
        "window": {
          "from": "2026-10-27T00:00:00.000Z",
          "to": "2026-11-26T00:00:00.000Z"
        },
        "timezone": "UTC",
        "as_of": "2026-11-25T19:42:00.175Z",
        "events": 0,
        "sessions": 0,
        "by_type": {},
        "observed_revenue": [],
        "authoritative_revenue": []
      }
    }
  },
  "readProduct": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000004"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000004",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "product_id": "00000000-0000-4000-8000-000000000005",
        "title": "Shoe",
        "url": "https://shop.example/1",
        "image_url": null,
        "price": "12.50",
        "currency": "EUR",
        "availability": "in_stock",
        "attributes": {
          "colour": "red",
          "sizes": [
            1,
            2.5
          ]
        },
        "version": 1,
        "created_at": "2026-11-25T19:41:17.222Z",
        "updated_at": "2026-11-25T19:41:17.222Z"
      }
    }
  },
  "readProfile": {
    "path": {
      "user_id": "ann"
    },
    "query": {
      "site_id": "00000000-0000-4000-8000-000000000063"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000067",
        "site_id": "00000000-0000-4000-8000-000000000063",
        "user_id": "ann",
        "email": null,
        "phone": null,
        "name": null,
        "first_name": null,
        "last_name": null,
        "language": null,
        "attributes": {
          "size": 41
        },
        "version": 1,
        "created_at": "2026-11-25T19:41:55.899Z",
        "updated_at": "2026-11-25T19:41:55.899Z"
      }
    }
  },
  "readProfileImport": {
    "path": {
      "job_id": "00000000-0000-4000-8000-000000000066"
    },
    "answers": {
      "200": {
        "job_id": "00000000-0000-4000-8000-000000000066",
        "type": "profiles.import",
        "state": "completed",
        "total": 1,
        "done": 1,
        "stored": 1,
        "failed": 0,
        "created_at": "2026-11-25T19:41:55.831Z",
        "finished_at": "2026-11-25T19:41:55.905Z",
        "site_id": "00000000-0000-4000-8000-000000000063",
        "started_by": "key:oo91qcgf",
        "cancellable": false,
        "errors": []
      }
    }
  },
  "readPublisherReport": {
    "query": {
      "site_id": "00000000-0000-4000-8000-000000000074",
      "from": "2026-03-01",
      "to": "2026-04-01",
      "interval": "day"
    },
    "answers": {
      "200": {
        "site_id": "00000000-0000-4000-8000-000000000074",
        "window": {
          "from": "2026-03-01",
          "to": "2026-04-01"
        },
        "timezone": "UTC",
        "interval": "day",
        "observed_clicks": 1,
        "settled_orders": 1,
        "settlements": {
          "total": 1,
          "pending": 0,
          "approved": 1,
          "declined": 0,
          "reversed": 0
        },
        "currencies": [
          {
            "currency": "EUR",
            "settled_orders": 1,
            "commissionable_revenue": "100.00",
            "commission": {
              "approved": "5.00",
              "pending": "0.00",
              "declined": "0.00"
            },
            "reversals": {
              "count": 0,
              "amount": "0.00"
            },
            "earnings_per_click": "5.000000"
          }
        ],
        "top_content": [
          {
            "content_id": "guide",
            "clicks": 1,
            "settled_orders": 1,
            "commission": [
              {
                "currency": "EUR",
                "amount": "5.00"
              }
            ]
          }
        ],
        "top_destinations": [
          {
            "destination": "partner.example/shoes",
            "clicks": 1,
            "settled_orders": 1,
            "commission": [
              {
                "currency": "EUR",
                "amount": "5.00"
              }
            ]
          }
        ],
        "reference_correlation": {
          "clicks_with_reference": 1,
          "settlements_with_reference": 1,
          "matched": 1,
          "ambiguous": 0,
          "unmatched_settlements": 0,
          "variance": 0,
          "clicks_matched": 1,
          "clicks_ambiguous": 0,
          "clicks_repeated": 0,
          "clicks_unmatched": 0
        },
        "series": [
          {
            "start": "2026-03-01T00:00:00.000Z",
            "clicks": 0,
            "settled_orders": 0,
            "currencies": []
          },
          {
            "start": "2026-03-02T00:00:00.000Z",
            "clicks": 0,
            "settled_orders": 0,
            "currencies": []
          }
        ]
      }
    }
  },
  "readRecommendations": {
    "query": {
      "campaign_id": "00000000-0000-4000-8000-000000000047"
    },
    "answers": {
      "200": {
        "campaign_id": "00000000-0000-4000-8000-000000000047",
        "recommendation_id": "00000000-0000-4000-8000-000000000048",
        "placement": "cart",
        "items": [
          {
            "product_id": "SKU-1",
            "title": "Cup",
            "url": null,
            "image_url": null,
            "price": null,
            "currency": null,
            "availability": "in_stock",
            "source": "popular"
          }
        ]
      }
    }
  },
  "readReconciliation": {
    "answers": {
      "200": {
        "items": [
          {
            "site_id": "00000000-0000-4000-8000-000000000053",
            "hour": "2026-11-27T05:00:00.000Z",
            "received": 0,
            "stored": 0,
            "deduplicated": 0,
            "failed": 0,
            "erased": 0,
            "rows": 0,
            "balanced": true
          },
          {
            "site_id": "00000000-0000-4000-8000-000000000063",
            "hour": "2026-11-27T05:00:00.000Z",
            "received": 0,
            "stored": 0,
            "deduplicated": 0,
            "failed": 0,
            "erased": 0,
            "rows": 0,
            "balanced": true
          }
        ],
        "next_cursor": null
      }
    }
  },
  "readRevenue": {
    "query": {
      "site_id": "00000000-0000-4000-8000-000000000077"
    },
    "answers": {
      "200": {
        "site_id": "00000000-0000-4000-8000-000000000077",
        "window": {
          "from": "2026-10-27T00:00:00.000Z",
          "to": "2026-11-26T00:00:00.000Z"
        },
        "timezone": "UTC",
        "as_of": "2026-11-25T19:42:00.175Z",
        "currencies": []
      }
    }
  },
  "readSdkFile": {
    "path": {
      "file": "manifest.json"
    },
    "answers": {}
  },
  "readSite": {
    "path": {
      "site_id": "00000000-0000-4000-8000-000000000001"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000001",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "name": "Shop",
        "domain": "shop.example",
        "allowed_origins": [
          "https://shop.example"
        ],
        "currency": "EUR",
        "timezone": "UTC",
        "publisher_mode": "off",
        "runtime_hourly_limit": 100000,
        "version": 1,
        "created_at": "2026-11-25T19:41:14.938Z",
        "updated_at": "2026-11-25T19:41:14.938Z",
        "partner": {
          "providers": [
            "awin",
            "cj"
          ],
          "touch_limit": 20,
          "attribution_model": "linear",
          "lookback_days": null
        }
      }
    }
  },
  "readSubmission": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000062"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000062",
        "site_id": "00000000-0000-4000-8000-000000000063",
        "campaign_id": "00000000-0000-4000-8000-000000000064",
        "session_id": "00000000-0000-4000-8000-000000000065",
        "fields": {
          "note": "Hello"
        },
        "consent": {
          "granted": true,
          "text": null,
          "at": "2026-11-25T19:41:55.066Z"
        },
        "version": 1,
        "created_at": "2026-11-25T19:41:55.083Z",
        "updated_at": "2026-11-25T19:41:55.083Z"
      }
    }
  },
  "readTimeseries": {
    "query": {
      "interval": "hour",
      "site_id": "00000000-0000-4000-8000-000000000077"
    },
    "answers": {
      "200": {
        "site_id": "00000000-0000-4000-8000-000000000077",
        "window": {
          "from": "2026-10-27T00:00:00.000Z",
          "to": "2026-11-26T00:00:00.000Z"
        },
        "timezone": "UTC",
        "as_of": "2026-11-25T19:42:00.175Z",
        "interval": "hour",
        "series": [
          {
            "start": "2026-10-27T00:00:00.000Z",
            "events": 0,
            "sessions": 0,
            "by_type": {}
          },
          {
            "start": "2026-10-27T01:00:00.000Z",
            "events": 0,
            "sessions": 0,
            "by_type": {}
          }
        ]
      }
    }
  },
  "readTopics": {
    "answers": {
      "200": {
        "items": [
          {
            "topic": "attribution-ledger.run-verification-step",
            "partitions": 2,
            "replication_factor": 1,
            "min_insync_replicas": 1,
            "under_replicated_partitions": 0,
            "config": {
              "min.insync.replicas": "1",
              "retention.ms": "604800000",
              "max.message.bytes": "8388608",
              "message.timestamp.type": "LogAppendTime",
              "segment.ms": "86400000"
            }
          },
          {
            "topic": "attribution-ledger.record-touches",
            "partitions": 2,
            "replication_factor": 1,
            "min_insync_replicas": 1,
            "under_replicated_partitions": 0,
            "config": {
              "min.insync.replicas": "1",
              "retention.ms": "604800000",
              "max.message.bytes": "8388608",
              "segment.ms": "86400000"
            }
          }
        ],
        "next_cursor": null
      }
    }
  },
  "readTrailAnalytic": {
    "query": {
      "request_id": "none-such",
      "site_id": "00000000-0000-4000-8000-000000000077"
    },
    "answers": {
      "200": {
        "items": [],
        "next_cursor": null,
        "searched": {
          "stored_since": "2026-11-25T00:00:00.000Z",
          "refused_since": "2026-11-18T19:42:01.656Z"
        }
      }
    }
  },
  "readWorkflow": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000007"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000007",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "name": "CRM",
        "trigger": {
          "event_types": [
            "purchase"
          ],
          "match": "all",
          "conditions": [
            {
              "field": "properties.total",
              "operator": "in",
              "value": [
                1,
                "a",
                true
              ]
            }
          ]
        },
        "action": {
          "type": "webhook",
          "url": "https://crm.invalid/hook"
        },
        "enabled": true,
        "disabled_reason": null,
        "last_delivered_at": null,
        "version": 1,
        "created_at": "2026-11-25T19:41:21.078Z",
        "updated_at": "2026-11-25T19:41:21.078Z"
      }
    }
  },
  "readWorkspace": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000024"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000024",
        "name": "Other",
        "suspended": false,
        "hourly_limit": 10000,
        "quotas": {
          "sites": 100,
          "members": 500,
          "api_keys": 100,
          "campaigns": 5000,
          "active_content_bytes": 1048576,
          "media": 10000,
          "media_bytes": 2147483648,
          "integrations": 20,
          "products": 1000000,
          "profiles": 1000000,
          "submissions": 1000000,
          "audit_entries": 1000000,
          "jobs": 100000,
          "api_key_hourly_limit": 1000000000,
          "site_hourly_limit": 1000000000
        },
        "version": 1,
        "created_at": "2026-11-25T19:41:37.287Z",
        "updated_at": "2026-11-25T19:41:37.287Z"
      }
    }
  },
  "recordConversion": {
    "body": {
      "event_type": "purchase",
      "conversion": {
        "schema_version": 1,
        "idempotency_key": "00000000-0000-4000-8000-000000000042",
        "website_id": "00000000-0000-4000-8000-000000000031",
        "order_id": "00000000-0000-4000-8000-000000000040",
        "occurred_at": "2026-01-01T09:30:00Z",
        "currency": "EUR",
        "revenue": "31.87",
        "commissionable_subtotal": 23.5,
        "tax": 4.47,
        "shipping": "3.90",
        "discount": "2.00",
        "lines": [
          {
            "line_id": "line-1",
            "sku": "SKU-1",
            "quantity": 2,
            "discount": 2,
            "unit_price": 10,
            "subtotal": "20.00",
            "commissionable_amount": 18
          },
          {
            "line_id": "line-2",
            "sku": "SKU-1",
            "quantity": 1,
            "discount": 0,
            "unit_price": "5.50",
            "subtotal": 5.5,
            "commissionable_amount": "5.50"
          }
        ],
        "touch_ids": [
          "00000000-0000-4000-8000-000000000043",
          "00000000-0000-4000-8000-000000000041"
        ],
        "margin": {
          "amount": "3.00",
          "basis": "estimated",
          "source": "erp"
        }
      }
    },
    "answers": {
      "200": {
        "authoritative": true,
        "deduplicated": true,
        "record_id": "00000000-0000-4000-8000-000000000038",
        "conversion_id": "00000000-0000-4000-8000-000000000039",
        "order_id": "00000000-0000-4000-8000-000000000040",
        "event_type": "purchase",
        "state": "recorded",
        "currency": "EUR",
        "remaining_revenue": "31.87",
        "remaining_commissionable": "23.50",
        "recorded_at": "2026-11-25T19:41:42.214Z",
        "unmatched_touch_ids": [
          "00000000-0000-4000-8000-000000000041"
        ]
      },
      "201": {
        "authoritative": true,
        "deduplicated": false,
        "record_id": "00000000-0000-4000-8000-000000000038",
        "conversion_id": "00000000-0000-4000-8000-000000000039",
        "order_id": "00000000-0000-4000-8000-000000000040",
        "event_type": "purchase",
        "state": "recorded",
        "currency": "EUR",
        "remaining_revenue": "31.87",
        "remaining_commissionable": "23.50",
        "recorded_at": "2026-11-25T19:41:42.214Z",
        "unmatched_touch_ids": [
          "00000000-0000-4000-8000-000000000041"
        ]
      }
    }
  },
  "recordTouches": {
    "body": {
      "touches": [
        {
          "schema_version": 1,
          "touch_id": "00000000-0000-4000-8000-000000000032",
          "provider": "awin",
          "direction": "inbound",
          "provider_click_id": "click-1",
          "partner_id": "partner-1",
          "landing_path": "/shoes",
          "occurred_at": "2026-01-31T09:30:00.000Z",
          "provenance": "browser_sdk",
          "session_id": "session-1"
        },
        {
          "schema_version": 1,
          "touch_id": "00000000-0000-4000-8000-000000000034",
          "provider": "awin",
          "direction": "outbound",
          "provider_click_id": null,
          "partner_id": null,
          "landing_path": null,
          "occurred_at": "2026-01-31T09:30:00.000Z",
          "provenance": "browser_sdk",
          "session_id": "session-1"
        }
      ]
    },
    "answers": {
      "200": {
        "touches": [
          {
            "touch_id": "00000000-0000-4000-8000-000000000032",
            "id": "00000000-0000-4000-8000-000000000033",
            "status": "unchanged",
            "recorded_at": "2026-11-25T19:41:39.413Z"
          },
          {
            "touch_id": "00000000-0000-4000-8000-000000000034",
            "id": "00000000-0000-4000-8000-000000000035",
            "status": "unchanged",
            "recorded_at": "2026-11-25T19:41:39.413Z"
          }
        ]
      },
      "201": {
        "touches": [
          {
            "touch_id": "00000000-0000-4000-8000-000000000032",
            "id": "00000000-0000-4000-8000-000000000033",
            "status": "created",
            "recorded_at": "2026-11-25T19:41:39.413Z"
          },
          {
            "touch_id": "00000000-0000-4000-8000-000000000034",
            "id": "00000000-0000-4000-8000-000000000035",
            "status": "created",
            "recorded_at": "2026-11-25T19:41:39.413Z"
          }
        ]
      }
    }
  },
  "replayDeadLetter": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000080"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000080",
        "topic": "ingestion.track-event",
        "group": "ingestion.ingestion.track-event",
        "reason": "UnreadableError: Not a request to store events: line 1 is not a JSON array.",
        "attempts": 1,
        "at": "2026-11-25T19:42:04.403Z",
        "request_id": "00000000-0000-4000-8000-000000000079",
        "state": "replayed",
        "handled_at": "2026-11-25T19:42:04.562Z",
        "handled_by": "admin"
      }
    }
  },
  "replayDeliveries": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000009"
    },
    "body": {
      "from": "2026-01-01",
      "to": "2026-02-01"
    },
    "answers": {
      "202": {
        "job_id": "00000000-0000-4000-8000-000000000011",
        "matched": 0
      }
    }
  },
  "replayDelivery": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000009",
      "delivery_id": "00000000-0000-4000-8000-000000000008"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000008",
        "workflow_id": "00000000-0000-4000-8000-000000000009",
        "webhook_id": "msg_00000000000000000000000000000000",
        "event_type": "purchase",
        "event_id": "00000000-0000-4000-8000-000000000010",
        "record_id": null,
        "order_id": null,
        "status": "pending",
        "test": true,
        "created_at": "2026-11-25T19:41:23.176Z",
        "next_attempt_at": "2026-11-25T19:41:24.774Z",
        "attempts": [
          {
            "at": "2026-11-25T19:41:23.241Z",
            "status": null,
            "latency_ms": 140,
            "error": "The name of the endpoint does not exist.",
            "response": null,
            "replay": false
          }
        ]
      }
    }
  },
  "replaySetAsideFact": {
    "path": {
      "service": "management",
      "id": "184"
    },
    "answers": {
      "200": {
        "service": "management",
        "id": "184",
        "topic": "test.05e6f39f.v1",
        "key": "key",
        "bytes": 5,
        "reason": "There is no topic test.05e6f39f.v1",
        "at": "2026-11-25T19:42:05.417Z",
        "state": "replayed"
      }
    }
  },
  "resumeExperiment": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000055"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000055",
        "version": 6,
        "created_at": "2026-11-25T23:25:30.494Z",
        "updated_at": "2026-11-25T23:25:31.906Z",
        "workspace_id": "00000000-0000-4000-8000-000000000051",
        "site_id": "00000000-0000-4000-8000-000000000052",
        "name": "Welcome banner",
        "hypothesis": null,
        "surface": "overlay",
        "campaign_ids": [
          "00000000-0000-4000-8000-000000000056"
        ],
        "traffic": 1,
        "primary_metric": "conversion",
        "alpha": 0.05,
        "power": 0.8,
        "minimum_detectable_effect": 0.2,
        "baseline_rate": 0.1,
        "attribution_window_days": 7,
        "state": "running",
        "salt": "59c109ab3896277f229478bc29366e76",
        "started_at": "2026-11-25T23:25:30.518Z",
        "stopped_at": null,
        "eligibility": {
          "providers": [],
          "partner_ids": []
        },
        "allocation": {
          "control": 0.5,
          "treatment": 0.5
        },
        "exclusions": {
          "sessions_per_network": null
        }
      }
    }
  },
  "revokeApiKey": {
    "path": {
      "site_id": "00000000-0000-4000-8000-000000000001",
      "key_id": "00000000-0000-4000-8000-000000000012"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000012",
        "deleted": true
      }
    }
  },
  "rotateApiKey": {
    "path": {
      "site_id": "00000000-0000-4000-8000-000000000001",
      "key_id": "00000000-0000-4000-8000-000000000014"
    },
    "body": {},
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000013",
        "version": 1,
        "created_at": "2026-11-25T19:41:26.904Z",
        "updated_at": "2026-11-25T19:41:26.904Z",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "name": "Other",
        "scopes": [
          "events:write"
        ],
        "hourly_limit": 1000,
        "expires_at": null,
        "prefix": "4s96cmz6",
        "revoked_at": null,
        "last_used_at": null,
        "key": "ck_abcdefgh_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      }
    }
  },
  "startExperiment": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000059"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000059",
        "version": 2,
        "created_at": "2026-11-25T23:25:32.056Z",
        "updated_at": "2026-11-25T23:25:32.075Z",
        "workspace_id": "00000000-0000-4000-8000-000000000051",
        "site_id": "00000000-0000-4000-8000-000000000052",
        "name": "Welcome banner",
        "hypothesis": null,
        "surface": "overlay",
        "campaign_ids": [
          "00000000-0000-4000-8000-000000000060"
        ],
        "traffic": 1,
        "primary_metric": "conversion",
        "alpha": 0.05,
        "power": 0.8,
        "minimum_detectable_effect": 0.2,
        "baseline_rate": 0.1,
        "attribution_window_days": 7,
        "state": "running",
        "salt": "b317d8a999779017cbe2000b1c2c59bf",
        "started_at": "2026-11-25T23:25:32.075Z",
        "stopped_at": null,
        "eligibility": {
          "providers": [],
          "partner_ids": []
        },
        "allocation": {
          "control": 0.5,
          "treatment": 0.5
        },
        "exclusions": {
          "sessions_per_network": null
        }
      }
    }
  },
  "startWorkerJob": {
    "path": {
      "type": "settlements.pull"
    },
    "answers": {
      "202": {
        "job_id": "00000000-0000-4000-8000-000000000076"
      }
    }
  },
  "stopExperiment": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000055"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000055",
        "version": 7,
        "created_at": "2026-11-25T23:25:30.494Z",
        "updated_at": "2026-11-25T23:25:31.950Z",
        "workspace_id": "00000000-0000-4000-8000-000000000051",
        "site_id": "00000000-0000-4000-8000-000000000052",
        "name": "Welcome banner",
        "hypothesis": null,
        "surface": "overlay",
        "campaign_ids": [
          "00000000-0000-4000-8000-000000000056"
        ],
        "traffic": 1,
        "primary_metric": "conversion",
        "alpha": 0.05,
        "power": 0.8,
        "minimum_detectable_effect": 0.2,
        "baseline_rate": 0.1,
        "attribution_window_days": 7,
        "state": "stopped",
        "salt": "59c109ab3896277f229478bc29366e76",
        "started_at": "2026-11-25T23:25:30.518Z",
        "stopped_at": "2026-11-25T23:25:31.950Z",
        "eligibility": {
          "providers": [],
          "partner_ids": []
        },
        "allocation": {
          "control": 0.5,
          "treatment": 0.5
        },
        "exclusions": {
          "sessions_per_network": null
        }
      }
    }
  },
  "testWorkflow": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000009"
    },
    "body": {},
    "answers": {
      "201": {
        "id": "00000000-0000-4000-8000-000000000008",
        "workflow_id": "00000000-0000-4000-8000-000000000009",
        "webhook_id": "msg_00000000000000000000000000000000",
        "event_type": "purchase",
        "event_id": "00000000-0000-4000-8000-000000000010",
        "record_id": null,
        "order_id": null,
        "status": "pending",
        "test": true,
        "created_at": "2026-11-25T19:41:23.176Z",
        "next_attempt_at": "2026-11-25T19:41:23.176Z",
        "attempts": []
      }
    }
  },
  "trackBatch": {
    "body": {
      "events": [
        {
          "event_type": "page_view",
          "session_id": "session-1",
          "client_event_id": "00000000-0000-4000-8000-000000000029",
          "context": {
            "page_url": "https://shop.example/",
            "user_agent": "Mozilla/5.0"
          }
        },
        {
          "event_type": "page_view",
          "session_id": "session-1",
          "client_event_id": "00000000-0000-4000-8000-000000000029",
          "context": {
            "page_url": "https://shop.example/",
            "user_agent": "Mozilla/5.0"
          }
        }
      ]
    },
    "answers": {
      "201": {
        "total": 2,
        "stored": 1,
        "deduplicated": 1,
        "failed": 0,
        "results": [
          {
            "index": 0,
            "status": "stored",
            "event_id": "00000000-0000-4000-8000-000000000028",
            "timestamp": "2026-11-25T19:41:38.850Z"
          },
          {
            "index": 1,
            "status": "duplicate",
            "event_id": "00000000-0000-4000-8000-000000000028",
            "timestamp": "2026-11-25T19:41:38.850Z",
            "deduplicated": true
          }
        ]
      },
      "207": {
        "total": 3,
        "stored": 1,
        "deduplicated": 0,
        "failed": 2,
        "results": [
          {
            "index": 0,
            "status": "stored",
            "event_id": "00000000-0000-4000-8000-000000000030",
            "timestamp": "2026-11-25T19:41:38.977Z"
          },
          {
            "index": 1,
            "status": "failed",
            "error": {
              "code": "VALIDATION_ERROR",
              "message": "Some fields break a rule; details names them.",
              "details": {
                "events.1.context": [
                  "must be an object; got a number"
                ]
              },
              "retryable": false
            }
          }
        ]
      }
    }
  },
  "trackEvent": {
    "body": {
      "event_type": "page_view",
      "session_id": "session-1",
      "client_event_id": "00000000-0000-4000-8000-000000000027",
      "context": {
        "page_url": "https://shop.example/",
        "user_agent": "Mozilla/5.0"
      }
    },
    "answers": {
      "200": {
        "event_id": "00000000-0000-4000-8000-000000000026",
        "timestamp": "2026-11-25T19:41:38.312Z",
        "deduplicated": true
      },
      "201": {
        "event_id": "00000000-0000-4000-8000-000000000026",
        "timestamp": "2026-11-25T19:41:38.312Z"
      }
    }
  },
  "updateAdministeredWorkspace": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000078"
    },
    "body": {
      "hourly_limit": 500000
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000078",
        "name": "owner-1",
        "suspended": false,
        "hourly_limit": 500000,
        "quotas": {
          "sites": 100,
          "members": 500,
          "api_keys": 100,
          "campaigns": 5000,
          "active_content_bytes": 1048576,
          "media": 10000,
          "media_bytes": 2147483648,
          "integrations": 20,
          "products": 1000000,
          "profiles": 1000000,
          "submissions": 1000000,
          "audit_entries": 1000000,
          "jobs": 100000,
          "api_key_hourly_limit": 1000000000,
          "site_hourly_limit": 1000000000
        },
        "version": 3,
        "created_at": "2026-11-25T19:42:03.329Z",
        "updated_at": "2026-11-25T19:42:03.482Z"
      }
    }
  },
  "updateApiKey": {
    "path": {
      "site_id": "00000000-0000-4000-8000-000000000001",
      "key_id": "00000000-0000-4000-8000-000000000012"
    },
    "body": {
      "expires_at": "2099-01-01T00:00:00Z"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000012",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "name": "Backend",
        "prefix": "psp9tis4",
        "scopes": [
          "events:write"
        ],
        "hourly_limit": 1000,
        "expires_at": "2099-01-01T00:00:00.000Z",
        "revoked_at": null,
        "last_used_at": null,
        "version": 2,
        "created_at": "2026-11-25T19:41:25.303Z",
        "updated_at": "2026-11-25T19:41:26.294Z"
      }
    }
  },
  "updateCampaign": {
    "path": {
      "campaign_id": "00000000-0000-4000-8000-000000000003"
    },
    "body": {
      "schedule": null,
      "targeting": null
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000003",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "type": "overlay",
        "name": "Welcome",
        "status": "draft",
        "schedule": null,
        "targeting": null,
        "content": {
          "layout": "modal",
          "title": "Hello"
        },
        "version": 2,
        "created_at": "2026-11-25T19:41:15.078Z",
        "updated_at": "2026-11-25T19:41:16.247Z"
      }
    }
  },
  "updateExperiment": {
    "path": {
      "experiment_id": "00000000-0000-4000-8000-000000000050"
    },
    "body": {
      "hypothesis": "More is sold."
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000050",
        "version": 2,
        "created_at": "2026-11-25T23:25:30.058Z",
        "updated_at": "2026-11-25T23:25:30.183Z",
        "workspace_id": "00000000-0000-4000-8000-000000000051",
        "site_id": "00000000-0000-4000-8000-000000000052",
        "name": "Welcome banner",
        "hypothesis": "More is sold.",
        "surface": "overlay",
        "campaign_ids": [
          "00000000-0000-4000-8000-000000000053"
        ],
        "traffic": 1,
        "primary_metric": "conversion",
        "alpha": 0.05,
        "power": 0.8,
        "minimum_detectable_effect": 0.2,
        "baseline_rate": 0.1,
        "attribution_window_days": 7,
        "state": "draft",
        "salt": "4728565d32aad9dbb0a352db9e3a952a",
        "started_at": null,
        "stopped_at": null,
        "eligibility": {
          "providers": [
            "awin"
          ],
          "partner_ids": []
        },
        "allocation": {
          "control": 0.5,
          "treatment": 0.5
        },
        "exclusions": {
          "sessions_per_network": null
        }
      }
    }
  },
  "updateIntegration": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000006"
    },
    "body": {
      "base_url": "https://api.network.example"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000006",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "provider": "cj",
        "base_url": "https://api.network.example",
        "status": "pending",
        "last_sync_at": null,
        "last_error": null,
        "version": 2,
        "created_at": "2026-11-25T19:41:18.629Z",
        "updated_at": "2026-11-25T19:41:20.213Z"
      }
    }
  },
  "updateMember": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000002",
      "member_id": "00000000-0000-4000-8000-000000000015"
    },
    "body": {
      "role": "admin"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000015",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "sub": "member-1",
        "email": null,
        "role": "admin",
        "membership": "invited",
        "version": 2,
        "created_at": "2026-11-25T19:41:27.532Z",
        "updated_at": "2026-11-25T19:41:28.971Z"
      }
    }
  },
  "updateProduct": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000004"
    },
    "body": {
      "price": null
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000004",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "product_id": "00000000-0000-4000-8000-000000000005",
        "title": "Shoe",
        "url": "https://shop.example/1",
        "image_url": null,
        "price": null,
        "currency": null,
        "availability": "in_stock",
        "attributes": {
          "colour": "red",
          "sizes": [
            1,
            2.5
          ]
        },
        "version": 2,
        "created_at": "2026-11-25T19:41:17.222Z",
        "updated_at": "2026-11-25T19:41:17.993Z"
      }
    }
  },
  "updateSite": {
    "path": {
      "site_id": "00000000-0000-4000-8000-000000000001"
    },
    "body": {
      "partner": {
        "lookback_days": 30
      }
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000001",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "name": "Shop",
        "domain": "shop.example",
        "allowed_origins": [
          "https://shop.example"
        ],
        "currency": "EUR",
        "timezone": "UTC",
        "publisher_mode": "off",
        "runtime_hourly_limit": 100000,
        "version": 2,
        "created_at": "2026-11-25T19:41:14.938Z",
        "updated_at": "2026-11-25T19:41:35.234Z",
        "partner": {
          "providers": [
            "awin",
            "cj"
          ],
          "touch_limit": 20,
          "attribution_model": "linear",
          "lookback_days": 30
        }
      }
    }
  },
  "updateWorkflow": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000007"
    },
    "body": {
      "action": {
        "secret": null
      }
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000007",
        "workspace_id": "00000000-0000-4000-8000-000000000002",
        "site_id": "00000000-0000-4000-8000-000000000001",
        "name": "CRM",
        "trigger": {
          "event_types": [
            "purchase"
          ],
          "match": "all",
          "conditions": [
            {
              "field": "properties.total",
              "operator": "in",
              "value": [
                1,
                "a",
                true
              ]
            }
          ]
        },
        "action": {
          "type": "webhook",
          "url": "https://crm.invalid/hook",
          "secret": "whsec_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        },
        "enabled": true,
        "disabled_reason": null,
        "last_delivered_at": null,
        "version": 2,
        "created_at": "2026-11-25T19:41:21.078Z",
        "updated_at": "2026-11-25T19:41:21.997Z"
      }
    }
  },
  "updateWorkspace": {
    "path": {
      "workspace_id": "00000000-0000-4000-8000-000000000024"
    },
    "body": {
      "name": "Renamed"
    },
    "answers": {
      "200": {
        "id": "00000000-0000-4000-8000-000000000024",
        "name": "Renamed",
        "suspended": false,
        "hourly_limit": 10000,
        "quotas": {
          "sites": 100,
          "members": 500,
          "api_keys": 100,
          "campaigns": 5000,
          "active_content_bytes": 1048576,
          "media": 10000,
          "media_bytes": 2147483648,
          "integrations": 20,
          "products": 1000000,
          "profiles": 1000000,
          "submissions": 1000000,
          "audit_entries": 1000000,
          "jobs": 100000,
          "api_key_hourly_limit": 1000000000,
          "site_hourly_limit": 1000000000
        },
        "version": 2,
        "created_at": "2026-11-25T19:41:37.287Z",
        "updated_at": "2026-11-25T19:41:37.730Z"
      }
    }
  },
  "uploadSettlements": {
    "path": {
      "id": "00000000-0000-4000-8000-000000000071"
    },
    "body": {
      "rows": [
        {
          "provider_transaction_id": "00000000-0000-4000-8000-000000000072",
          "status": "pending",
          "commissionable_amount": "100.00",
          "commission_amount": "5.00",
          "currency": "EUR",
          "transaction_at": "2026-03-10T12:00:00Z",
          "updated_at": "2026-03-10T12:00:00Z",
          "click_reference": "reference-1",
          "order_reference": "order-1"
        },
        {
          "provider_transaction_id": "00000000-0000-4000-8000-000000000072",
          "status": "approved",
          "commissionable_amount": "100.00",
          "commission_amount": "5.00",
          "currency": "EUR",
          "transaction_at": "2026-03-10T12:00:00Z",
          "updated_at": "2026-03-11T12:00:00Z",
          "click_reference": "reference-1",
          "order_reference": "order-1"
        }
      ]
    },
    "answers": {
      "202": {
        "job_id": "00000000-0000-4000-8000-000000000070"
      }
    }
  }
};
