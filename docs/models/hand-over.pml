/*
 * How a page moves from one node of a durable cluster to another: docs/scale.md, Sources/BridgeCluster/Pages.
 *
 * Two nodes, one page, four messages. The page sends each message until it is acknowledged. A node handles messages,
 * tells Redis in one commit what that has changed, and lets nothing out to the page before Redis has confirmed the
 * commit. The acknowledgement stands here for all that goes out: replies and evaluations wait in the same way. Redis
 * takes a commit only from the node that owns the page. A node claims a page that comes to it. At each step a node may
 * be killed and start again, Redis may stop and start again (it keeps what it has confirmed), and each connection may
 * break.
 *
 * These names, defined for `spin -a`, make mistakes that the verifier must find:
 *   ACKNOWLEDGES_EARLY  a node acknowledges what Redis has not confirmed
 *   NO_OWNER            Redis takes a commit from any node
 *   NO_NUMBER           Redis takes a commit twice if it is sent again after its connection broke
 *   STATES_FIRST        a commit that fails has changed the state of the page already
 *   FORGETS_LEFT_OUT    Redis does not say again that it left out a commit, if that is sent again
 *
 * CLAIM_OVERTAKES is no mistake: on a new connection to Redis, a claim may go before the commit that is sent again.
 */
#define MESSAGES 4
#define NODES 2
#define NOBODY 2

/* How often each fault may happen, so that the states are finite. */
#ifndef FAULTS
#define FAULTS 2
#endif

/* The page: all messages up to `acknowledged` are acknowledged, and it is connected to the node `at`. */
byte acknowledged = 0;
byte at = NOBODY;

/* Redis keeps this while it is stopped. */
bool isUp = true;
byte owner = NOBODY;
byte epoch = 0;
byte lastSeq = 0;
/* How many messages have their records in the traffic. They must be 1, 2, 3 and 4, in this order. */
byte stream = 0;

/* A node loses this when it is killed. */
typedef Node {
    byte epoch;      /* with which it owns the page; 0 if it has no session of it */
    byte handled;    /* the last message that its handlers have taken */
    byte confirmed;  /* the last of which Redis has confirmed the commit */
    byte first;      /* the commit under way has the messages after this one */
    byte last;       /* up to this one */
    byte number;     /* of the commit */
    byte done;       /* the number of the last commit that Redis has seen: Redis keeps it for each run of a node */
    bool isLeftOut;  /* whether Redis left that commit out, because another node owned the page: Redis keeps this, too */
    bool isPending;  /* whether there is a commit under way */
    bool isSent;     /* whether it is on its way to Redis on the present connection */
    bool isAnswered; /* whether the answer is on its way back */
    bool isStale;    /* the answer: the page has another owner */
    byte claim       /* 0: none; 1: on its way to Redis; 2: on its way back */
    byte claimEpoch; /* the answer to the claim */
    byte claimSeq
}
Node nodes[NODES];
#define N nodes[n]

#ifdef NO_OWNER
#define MAY_COMMIT true
#else
#define MAY_COMMIT (owner == n && epoch == N.epoch)
#endif
#ifdef NO_NUMBER
#define IS_TAKEN false
#else
#define IS_TAKEN (N.number <= N.done)
#endif
#ifdef FORGETS_LEFT_OUT
#define WAS_LEFT_OUT false
#else
#define WAS_LEFT_OUT N.isLeftOut
#endif

#ifdef CLAIM_OVERTAKES
#define MAY_CLAIM true
#else
#define MAY_CLAIM (!N.isPending)
#endif

byte faults = 0;

inline dropSession() {
    N.epoch = 0; N.handled = 0; N.confirmed = 0;
    N.first = 0; N.last = 0; N.isPending = false; N.isSent = false; N.isAnswered = false; N.isStale = false
}

inline breakFromRedis() {
    N.isSent = false; N.isAnswered = false; N.isStale = false; N.claim = 0
}

proctype node(byte n) {
end:
    do
    /* A page has come: find out whether this node still owns it. */
    :: atomic { at == n && isUp && N.claim == 0 && !N.isPending && N.epoch == 0 -> N.claim = 1 }
    :: atomic { at == n && isUp && N.claim == 0 && MAY_CLAIM && N.epoch != 0 && (owner != n || epoch != N.epoch) ->
        N.claim = 1 }
    /* Redis takes the claim. */
    :: atomic { isUp && N.claim == 1 ->
        epoch++; owner = n; N.claimEpoch = epoch; N.claimSeq = lastSeq; N.claim = 2 }
    /* The node goes on from what Redis has. */
    :: atomic { N.claim == 2 ->
        dropSession();
        N.epoch = N.claimEpoch; N.handled = N.claimSeq; N.confirmed = N.claimSeq; N.claim = 0;
        N.claimEpoch = 0; N.claimSeq = 0 }
    /* A handler takes the next message. The page may have left meanwhile: the message was in the socket. */
    :: atomic { N.epoch != 0 && N.claim == 0 && N.handled < MESSAGES ->
        /* The page has forgotten what is acknowledged. If the node has not handled that, it is lost. */
        assert(acknowledged <= N.handled || owner != n || epoch != N.epoch);
        N.handled++
#ifdef ACKNOWLEDGES_EARLY
        ; if :: at == n && N.handled > acknowledged -> acknowledged = N.handled :: else fi
#endif
        }
    /* The node makes a commit of all that it has handled since the last one. */
    :: atomic { N.epoch != 0 && N.claim == 0 && !N.isPending && N.handled > N.confirmed ->
        N.first = N.confirmed; N.last = N.handled; N.number++; N.isPending = true }
    /* It sends it, again if the connection broke before the answer. */
    :: atomic { N.isPending && !N.isSent && !N.isAnswered && isUp -> N.isSent = true }
    /* Redis takes the commit, in one step. */
    :: atomic { isUp && N.isSent ->
        N.isSent = false; N.isAnswered = true;
        if
        :: IS_TAKEN -> N.isStale = WAS_LEFT_OUT
        :: !IS_TAKEN && !MAY_COMMIT -> N.isStale = true; N.isLeftOut = true; N.done = N.number
        :: !IS_TAKEN && MAY_COMMIT ->
            /* Nothing is lost, nothing is there twice, and the order is kept. */
            assert(N.first == stream);
            stream = N.last; lastSeq = N.last; N.isLeftOut = false; N.done = N.number
        fi }
    /* Redis refuses it before the first write (it is full, or somebody has changed a key), and gets it again. */
    :: atomic { isUp && N.isSent && !IS_TAKEN && MAY_COMMIT ->
        N.isSent = false
#ifdef STATES_FIRST
        ; lastSeq = N.last
#endif
        }
    /* The answer comes, and what waited for it goes out. */
    :: atomic { N.isAnswered && !N.isStale ->
        N.isAnswered = false; N.isPending = false; N.confirmed = N.last; N.first = 0; N.last = 0;
        if :: at == n && N.confirmed > acknowledged -> acknowledged = N.confirmed :: else fi }
    /* Another node owns the page: nothing goes out, and the session ends. A connection that has just come stays. */
    :: atomic { N.isAnswered && N.isStale -> dropSession(); if :: at == n && N.claim == 0 -> at = NOBODY :: else fi }
    /* The answer to `page.attach` acknowledges, too. */
    :: atomic { at == n && N.epoch != 0 && owner == n && epoch == N.epoch && N.confirmed > acknowledged ->
        acknowledged = N.confirmed }
    od
}

/* The load balancer gives the page any node, at any time. */
proctype page() {
    do
    :: atomic { acknowledged < MESSAGES && at == NOBODY -> if :: at = 0 :: at = 1 fi }
    :: acknowledged == MESSAGES -> break
    od;
    /* Everything is acknowledged, so everything has its record. */
    assert(stream == MESSAGES)
}

proctype fault() {
    byte n;
end:
    do
    :: atomic { faults < FAULTS -> faults++;
        if :: n = 0 :: n = 1 fi;
        if
        /* A node is killed, and starts again with a new name. */
        :: dropSession(); N.number = 0; N.done = 0; N.isLeftOut = false; N.claim = 0; N.claimEpoch = 0; N.claimSeq = 0;
            if :: owner == n -> owner = NOBODY :: else fi;
            if :: at == n -> at = NOBODY :: else fi
        /* The connection between a node and Redis breaks. */
        :: breakFromRedis()
        /* The page's connection breaks, and it comes back on the same node or on the other one. */
        :: at = NOBODY
        /* Redis stops, and with it all connections; it starts again at some later step. */
        :: isUp -> isUp = false; n = 0; breakFromRedis(); n = 1; breakFromRedis()
        fi }
    :: atomic { !isUp -> isUp = true }
    od
}

init { atomic { run node(0); run node(1); run page(); run fault() } }
